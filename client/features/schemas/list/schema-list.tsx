import { Anchor, Code, Paper, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { IdentitySchema } from '../../../api/identity-schemas.ts';
import { counted } from '../../../format/counted.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { IdentityCount } from '../identity-count.tsx';
import { schemaName, schemaSummary } from '../schema-summary.ts';
import classes from './schema-list.module.css';

/** There are only a few, so all are on one page. */
export const SchemaList = ({ schemas }: { schemas: readonly IdentitySchema[] }) => (
  <>
    <Paper withBorder>
      <ul className={classes.list} aria-label="Schemas">
        {schemas.map((schema) => (
          <SchemaRow key={schema.id} schema={schema} />
        ))}
      </ul>
    </Paper>
    <Text size="xs" c="dimmed">
      In the order of the identity service’s configuration. The service does not say which is the default.
    </Text>
  </>
);

function SchemaRow({ schema }: { schema: IdentitySchema }) {
  const { traits, signsInWith } = schemaSummary(schema);
  return (
    <li className={classes.row}>
      <div>
        <Anchor
          fw={500}
          size="sm"
          renderRoot={(props) => <Link {...props} to="/schemas/$id" params={{ id: schema.id }} preload={false} />}
        >
          <bdi>{visibleText(schemaName(schema))}</bdi>
        </Anchor>{' '}
        <Code>{visibleText(schema.id)}</Code>
      </div>
      <Text size="sm" component="div">
        {signsInWith.length === 0 ? (
          'No way to sign in'
        ) : (
          <>
            Signs in with <bdi>{visibleText(signsInWith.join(', '))}</bdi>
          </>
        )}
        <Text size="xs" c="dimmed">
          {counted(traits, 'trait', 'traits')}
        </Text>
      </Text>
      <Text size="sm" component="div">
        <IdentityCount schemaId={schema.id} />
      </Text>
    </li>
  );
}
