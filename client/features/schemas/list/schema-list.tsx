import { Anchor, Code, Paper, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { IdentitySchema } from '../../../api/identity-schemas.ts';
import { counted } from '../../../format/counted.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { IdentityCount } from '../identity-count.tsx';
import { schemaAtAGlance, schemaName } from '../schema-words.ts';
import classes from './schema-list.module.css';

/** There are few: all of them on one page, in the order of the configuration. */
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
      In the order of the identity service’s configuration. It does not say which one is its default.
    </Text>
  </>
);

function SchemaRow({ schema }: { schema: IdentitySchema }) {
  const { traits, signsInWith } = schemaAtAGlance(schema);
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
          'Nothing to sign in with'
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
