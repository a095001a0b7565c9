import {
  Alert,
  Anchor,
  Button,
  Checkbox,
  Group,
  List,
  Paper,
  Radio,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { SEARCH_IDS_MAX } from '../../../shared/identities.ts';
import { identityTotalQuery } from '../../api/identities.ts';
import { readStoredPage } from '../../api/identity-batches.ts';
import { hasFilters, type IdentityFilters, isBySignIn } from '../../api/identity-filters.ts';
import { type IdentitySchema, identitySchemasQuery } from '../../api/identity-schemas.ts';
import { identityCountQuery } from '../../api/identity-search.ts';
import { inWords } from '../../api/search-snapshot.ts';
import { useCan } from '../../api/session.ts';
import { deployment } from '../../deployment.ts';
import { counted, digits } from '../../lib/format-count.ts';
import { ExportProgress, startExport, useExport } from '../../list/export.tsx';
import { InvalidInLink } from '../../list/toolbar.tsx';
import { BackLink } from '../../record/tabs.tsx';
import { SmallButton } from '../../ui/buttons.tsx';
import { FocusOnChange } from '../../ui/hooks.tsx';
import { QueryState } from '../../ui/query-state.tsx';
import { GuardedPage } from '../../ui/state-panel.tsx';
import { csvWriter, type ExportColumn, exportColumns, ndjsonWriter, pagesThatMatch } from './export-identities.tsx';
import { STORE_COLUMNS } from './portable-identity.ts';
import type { TransferFormat } from './transfer-file.ts';

const route = getRouteApi('/signed-in/identities/export');

export const ExportPage = () => (
  <>
    <BackLink to="/identities" label="Identities" />
    <GuardedPage
      open={useCan()('upstreams.write')}
      title="Export identities"
      about="Exports all identities, or those that match a search, to one file that can be imported elsewhere."
    >
      <Export />
    </GuardedPage>
  </>
);

function Export() {
  const query = useQuery(identitySchemasQuery);
  const search = route.useSearch();
  return (
    <>
      <InvalidInLink />
      {search.invalid !== 'q' && (
        <QueryState query={query} loading={<Skeleton h={160} />}>
          {({ schemas }) => (
            <ExportSteps
              key={JSON.stringify(search)}
              schemas={schemas}
              search={hasFilters(search) ? search : undefined}
            />
          )}
        </QueryState>
      )}
    </>
  );
}

function ExportSteps(props: { schemas: readonly IdentitySchema[]; search: IdentityFilters | undefined }) {
  const { schemas, search } = props;
  const exporting = useExport();
  const { data: all } = useQuery({ ...identityTotalQuery, enabled: search === undefined });
  const { data: matching } = useQuery({ ...identityCountQuery({ ...search }), enabled: search !== undefined });
  const total = search === undefined ? (all?.total ?? undefined) : matching?.count;
  const { state } = exporting;
  const columns = useMemo(() => exportColumns(schemas.map(({ schema }) => schema)), [schemas]);
  const start = (format: TransferFormat, chosen: readonly ExportColumn[], raw: boolean): void => {
    const writer = format === 'csv' ? csvWriter(chosen, { raw }) : ndjsonWriter(chosen.map(({ name }) => name));
    exporting.start(startExport(writer, search === undefined ? readStoredPage : pagesThatMatch(search)), {
      subject: `identities-${deployment}`,
      extension: format,
    });
  };
  return (
    <FocusOnChange of={state.step}>
      {state.step === 'ready' ? (
        <>
          {search !== undefined && <ExportScope search={search} total={total} />}
          <ExportChoice
            columns={columns}
            scope={search === undefined ? 'all' : isBySignIn(search) ? 'by-sign-in' : 'matching'}
            onStart={search !== undefined && isTooMany(total) ? undefined : start}
          />
        </>
      ) : (
        <ExportProgress
          exporting={exporting}
          state={state}
          total={total}
          read={(count) => counted(count, 'identity was', 'identities were')}
        />
      )}
      {exporting.leaving}
    </FocusOnChange>
  );
}

function ExportChoice(props: {
  columns: readonly ExportColumn[];
  scope: 'all' | 'matching' | 'by-sign-in';
  onStart: ((format: TransferFormat, columns: readonly ExportColumn[], raw: boolean) => void) | undefined;
}) {
  const { scope, onStart } = props;
  const [format, setFormat] = useState<TransferFormat>('csv');
  const [raw, setRaw] = useState(false);
  const [excluded, setExcluded] = useState<readonly string[]>([]);
  const columns = format === 'csv' ? props.columns : props.columns.filter(({ steps }) => steps === undefined);
  const chosen = columns.filter(({ name }) => !excluded.includes(name));
  return (
    <Paper withBorder p="md">
      <Stack gap="md">
        <Radio.Group label="Format" value={format} onChange={(value) => setFormat(value as TransferFormat)}>
          <Stack gap="xs" mt="xs">
            <Radio value="csv" label="CSV: one column per trait; lists, objects and numbers as JSON" />
            <Radio value="ndjson" label="NDJSON: one JSON object per line" />
          </Stack>
        </Radio.Group>
        <Checkbox.Group
          label={format === 'csv' ? 'Columns' : 'Fields'}
          value={chosen.map(({ name }) => name)}
          onChange={(names) => setExcluded(columns.flatMap(({ name }) => (names.includes(name) ? [] : name)))}
        >
          <Group gap="sm" mt={4} mb="xs">
            <SmallButton onClick={() => setExcluded([])}>All</SmallButton>
            <SmallButton onClick={() => setExcluded(STORE_COLUMNS)}>Without ID and dates</SmallButton>
          </Group>
          <SimpleGrid minColWidth="min(11rem, 45%)" verticalSpacing="sm">
            {columns.map(({ name }) => (
              <Checkbox key={name} value={name} label={labelOf(name, format)} />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
        <List spacing={4}>
          <List.Item>Passwords, other credentials, sessions and address verification are not exported.</List.Item>
          <List.Item>The ID and dates of an identity are not imported: each identity service sets its own.</List.Item>
          {scope === 'all' ? (
            <List.Item>
              Identities that change during the export may be exported as before or after; new ones may be missing.
            </List.Item>
          ) : (
            <List.Item>
              Matching identities are found at the start. Those that no longer match when they are read are left out.
            </List.Item>
          )}
          {scope === 'by-sign-in' && (
            <List.Item>Sessions are not read again: someone who has just signed in may still be exported.</List.Item>
          )}
        </List>
        {format === 'csv' && (
          <Checkbox
            checked={!raw}
            onChange={({ currentTarget }) => setRaw(!currentTarget.checked)}
            label="Escape values that a spreadsheet program would run as formulas"
            description="Puts an apostrophe before such values, for example those that begin with = or @. This dashboard’s import removes it. If you turn this off, open the file in a spreadsheet program as text only."
          />
        )}
        <Group>
          <Button
            disabled={chosen.length === 0 || onStart === undefined}
            onClick={() => onStart?.(format, chosen, raw)}
          >
            {scope === 'all' ? 'Export all identities' : 'Export all matching identities'}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

const labelOf = (name: string, format: TransferFormat): string =>
  name === 'traits' && format === 'csv' ? 'traits (everything without a column)' : name;

/** Describes which identities are exported. @param total number of matches; undefined until known */
function ExportScope({ search, total }: { search: IdentityFilters; total: number | undefined }) {
  return (
    <Paper withBorder p="md" mb="md">
      <Stack gap="xs">
        <Text size="sm">
          {total === undefined ? 'All identities that match' : `${counted(total, 'identity', 'identities')} that match`}
          : <strong>{inWords(search)}</strong>
        </Text>
        {isTooMany(total) && (
          <Alert role="note" color="orange">
            At most {digits(SEARCH_IDS_MAX)} matching identities can be exported. Narrow the search, or export all
            identities.
          </Alert>
        )}
        <Group gap="md">
          <Anchor component={Link} size="sm" to="/identities" search={search as never}>
            Change the search
          </Anchor>
          <Anchor component={Link} size="sm" to="/identities/export">
            Export all identities instead
          </Anchor>
        </Group>
      </Stack>
    </Paper>
  );
}

const isTooMany = (total: number | undefined): boolean => total !== undefined && total > SEARCH_IDS_MAX;
