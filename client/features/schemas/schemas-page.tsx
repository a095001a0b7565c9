import { Code, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type IdentitySchema, identitySchemasQuery } from '../../api/identity-schemas.ts';
import { statisticsQuery } from '../../api/overview.ts';
import { useCan } from '../../api/session.ts';
import { counted, formatLeast, formatSample } from '../../lib/format-count.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { SchemasIncomplete } from '../../record/schemas-incomplete.tsx';
import { DataAge } from '../../ui/facts.tsx';
import { Dimmed, TextLink } from '../../ui/layout.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { QueryState } from '../../ui/query-state.tsx';
import { GuardedPage, StatePanel } from '../../ui/state-panel.tsx';
import { SCHEMAS } from './schema-resource.ts';
import classes from './schemas.module.css';
import { schemaName, schemaSummary } from './trait-tree.ts';

const ABOUT =
  'The traits that each kind of identity has, and those used to sign in. Schemas are part of the identity service’s configuration and are changed there.';

export const SchemasPage = () => (
  <GuardedPage open={useCan()('identities.read')} needs={['identities.read']} title={SCHEMAS.label} about={ABOUT}>
    <KnownSchemas />
  </GuardedPage>
);

function KnownSchemas() {
  const query = useQuery(identitySchemasQuery);
  return (
    <Stack gap="md">
      <QueryState
        query={query}
        title="The schemas are unavailable"
        loading={<LoadingRows label="Loading the schemas" height={220} />}
      >
        {(known) =>
          known.schemas.length === 0 ? (
            <StatePanel
              kind="no-data"
              title="No schemas"
              text="The identity service has no schemas. Identities cannot be created without one."
            />
          ) : (
            <>
              <SchemasIncomplete {...known} />
              <Paper component="ul" withBorder data-rows aria-label="Schemas">
                {known.schemas.map((schema) => (
                  <SchemaRow key={schema.id} schema={schema} />
                ))}
              </Paper>
              <Dimmed size="xs">
                In the order of the identity service’s configuration. The service does not say which one is the default.
              </Dimmed>
            </>
          )
        }
      </QueryState>
    </Stack>
  );
}

function SchemaRow({ schema }: { schema: IdentitySchema }) {
  const { traits, signsInWith } = schemaSummary(schema);
  return (
    <li className={classes.row}>
      <div>
        <TextLink fw={500} size="sm" to="/schemas/$id" params={{ id: schema.id }}>
          <bdi>{visibleText(schemaName(schema))}</bdi>
        </TextLink>{' '}
        <Code>{visibleText(schema.id)}</Code>
      </div>
      <Text size="sm" component="div">
        {signsInWith.length === 0 ? (
          'No trait to sign in with'
        ) : (
          <>
            Signs in with <bdi>{visibleText(signsInWith.join(', '))}</bdi>
          </>
        )}
        <Dimmed size="xs">{counted(traits, 'trait', 'traits')}</Dimmed>
      </Text>
      <Text size="sm" component="div">
        <IdentityCount schemaId={schema.id} />
      </Text>
    </li>
  );
}

/** The count from the overview's statistics, with sample size and age. */
export function IdentityCount({ schemaId }: { schemaId: string }) {
  const { data, error } = useQuery(statisticsQuery);
  if (data === undefined && error === null) return <span>counting…</span>;
  const identities = data?.identities ?? undefined;
  if (data === undefined || identities === undefined) return <span>unknown</span>;
  const { by_schema, sample, complete, as_of } = identities;
  const count = by_schema.find(({ schema_id }) => schema_id === schemaId)?.count ?? 0;
  return (
    <div>
      {formatLeast(!complete, counted(count, 'identity', 'identities'))}
      <DataAge of={formatSample(sample, complete)} asOf={as_of} clockAheadMs={data.clockAheadMs} />
    </div>
  );
}
