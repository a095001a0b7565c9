import { Alert, Anchor, Button, Checkbox, Group, List, Paper, Radio, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { SEARCH_IDS_MAX } from '../../../../shared/identities.ts';
import { identityTotalQuery } from '../../../api/identities.ts';
import { readStoredPage } from '../../../api/identity-batches.ts';
import { type IdentitySchema, identitySchemasQuery } from '../../../api/identity-schemas.ts';
import { matchCountQuery } from '../../../api/identity-search.ts';
import { useCan } from '../../../api/session.ts';
import { deployment } from '../../../deployment.ts';
import { counted, digits } from '../../../lib/format-count.ts';
import { parseExactJson } from '../../../lib/json.ts';
import { ExportProgress, startExport, useExport } from '../../../list/export.tsx';
import { FailurePanel } from '../../../ui/failure-panel.tsx';
import { FocusOnChange } from '../../../ui/hooks.tsx';
import { PageHeading } from '../../../ui/layout.tsx';
import { NoAccessPage } from '../../../ui/state-panel.tsx';
import { fixedQuestion, hasFilters, type IdentitiesSearch, isBySignIn } from '../identity-query.ts';
import {
  csvWriter,
  type ExportColumn,
  exportColumns,
  ndjsonWriter,
  pagesThatMatch,
  STORE_COLUMNS,
} from './export-identities.ts';
import type { TransferFormat } from './transfer-file.ts';

const HEADING = {
  title: 'Export identities',
  about: 'Exports all identities, or those that match a search, to one file that can be imported elsewhere.',
};

const route = getRouteApi('/signed-in/identities/export');

export function ExportPage() {
  const may = useCan();
  return may('identities.read') ? <OpenExportPage /> : <NoAccessPage {...HEADING} />;
}

function OpenExportPage() {
  const { data: known, error, refetch } = useQuery(identitySchemasQuery);
  const search = route.useSearch();
  return (
    <>
      <PageHeading {...HEADING} />
      {error !== null && <FailurePanel error={error} onRetry={() => void refetch()} />}
      {known === undefined ? (
        error === null && <Skeleton h={160} />
      ) : (
        <ExportSteps
          key={JSON.stringify(search)}
          schemas={known.schemas}
          search={hasFilters(search) ? search : undefined}
        />
      )}
    </>
  );
}

/** @param search who is exported; undefined for everybody */
export function ExportSteps(props: { schemas: readonly IdentitySchema[]; search: IdentitiesSearch | undefined }) {
  const { schemas, search } = props;
  const exporting = useExport();
  const [{ words, params }] = useState(() => fixedQuestion(search ?? {}, Date.now()));
  const { data: all } = useQuery({ ...identityTotalQuery, enabled: search === undefined });
  const { data: some } = useQuery({ ...matchCountQuery(params), enabled: search !== undefined });
  const total = search === undefined ? (all?.total ?? undefined) : some?.count;
  const { state } = exporting;
  const columns = useMemo(() => exportColumns(schemas.map(({ schema }) => schema)), [schemas]);
  const start = (format: TransferFormat, chosen: readonly ExportColumn[], raw: boolean): void => {
    const writer = format === 'csv' ? csvWriter(chosen, { raw }) : ndjsonWriter(chosen.map(({ name }) => name));
    exporting.start(
      startExport(
        writer,
        search === undefined
          ? (token, signal) => readStoredPage(token, parseExactJson, signal)
          : pagesThatMatch(search),
      ),
      { subject: `identities-${deployment}`, extension: format },
    );
  };
  return (
    <FocusOnChange of={state.step}>
      {state.step === 'ready' ? (
        <>
          {search !== undefined && <ExportScope search={search} words={words} total={total} />}
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

const FORMATS: readonly [TransferFormat, string][] = [
  ['csv', 'CSV: one column per trait; lists, objects and numbers as JSON'],
  ['ndjson', 'NDJSON: one JSON object per line'],
];

/** As many columns as fit. */
const COLUMNS = {
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fill, minmax(min(11rem, 45%), 1fr))',
  gap: 'var(--mantine-spacing-sm) var(--mantine-spacing-md)',
} as const;

/**
 * What to export and in which format.
 * @param columns all available columns
 * @param scope who is exported
 * @param onStart undefined if they are too many
 */
export function ExportChoice(props: {
  columns: readonly ExportColumn[];
  scope: 'all' | 'matching' | 'by-sign-in';
  onStart: ((format: TransferFormat, columns: readonly ExportColumn[], raw: boolean) => void) | undefined;
}) {
  const { scope, onStart } = props;
  const [format, setFormat] = useState<TransferFormat>('csv');
  const [raw, setRaw] = useState(false);
  const [without, setWithout] = useState<ReadonlySet<string>>(new Set());
  const columns = format === 'csv' ? props.columns : props.columns.filter(({ steps }) => steps === undefined);
  const chosen = columns.filter(({ name }) => !without.has(name));
  const toggle = (name: string): void =>
    setWithout(
      without.has(name) ? new Set([...without].filter((other) => other !== name)) : new Set([...without, name]),
    );
  return (
    <Paper withBorder p="md">
      <Stack gap="md">
        <fieldset style={{ margin: 0, padding: 0, border: 0 }}>
          <Text component="legend" size="sm" fw={500} mb="xs" p={0}>
            Format
          </Text>
          <Stack gap="xs">
            {FORMATS.map(([value, label]) => (
              <Radio
                key={value}
                name="format"
                label={label}
                checked={format === value}
                onChange={() => setFormat(value)}
              />
            ))}
          </Stack>
        </fieldset>
        <fieldset style={{ margin: 0, padding: 0, border: 0 }}>
          <Group gap="sm" mb="xs">
            <Text component="legend" size="sm" fw={500} p={0}>
              {format === 'csv' ? 'Columns' : 'Members'}
            </Text>
            <Button size="compact-xs" variant="default" onClick={() => setWithout(new Set())}>
              All
            </Button>
            <Button size="compact-xs" variant="default" onClick={() => setWithout(new Set(STORE_COLUMNS))}>
              Without ids and dates
            </Button>
          </Group>
          <div style={COLUMNS}>
            {columns.map(({ name }) => (
              <Checkbox
                key={name}
                label={labelOf(name, format)}
                checked={!without.has(name)}
                onChange={() => toggle(name)}
              />
            ))}
          </div>
        </fieldset>
        <List spacing={4}>
          <List.Item>
            Passwords and other credentials, sessions and the verification of addresses are not exported.
          </List.Item>
          <List.Item>Ids and dates are not imported elsewhere: the identity service there sets its own.</List.Item>
          {scope === 'all' ? (
            <List.Item>
              Identities that are changed or created during the export may appear in either state or be missing.
            </List.Item>
          ) : (
            <List.Item>
              Those that match are found at the start; each is read again, and whoever no longer matches is left out.
            </List.Item>
          )}
          {scope === 'by-sign-in' && (
            <List.Item>
              Sessions are not read again: whoever has signed in a moment ago may still be exported.
            </List.Item>
          )}
        </List>
        {format === 'csv' && (
          <Checkbox
            checked={!raw}
            onChange={({ currentTarget }) => setRaw(!currentTarget.checked)}
            label="Put an apostrophe before values that a spreadsheet program would run"
            description="They begin with = @ + or -. The import of this dashboard takes it off again. Without it, open the file in a spreadsheet program as text only."
          />
        )}
        <Group>
          <Button
            disabled={chosen.length === 0 || onStart === undefined}
            onClick={() => onStart?.(format, chosen, raw)}
          >
            {scope === 'all' ? 'Export all identities' : 'Export all that match'}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

const labelOf = (name: string, format: TransferFormat): string =>
  name === 'traits' && format === 'csv' ? 'traits (everything without a column)' : name;

/**
 * Who is exported, if not everybody.
 * @param words the filters
 * @param total how many match; undefined while that is not known
 */
export function ExportScope(props: { search: IdentitiesSearch; words: string; total: number | undefined }) {
  const { search, words, total } = props;
  return (
    <Paper withBorder p="md" mb="md">
      <Stack gap="xs">
        <Text size="sm">
          {total === undefined ? 'All that match' : `The ${digits(total)} that match`}: <strong>{words}</strong>
        </Text>
        {isTooMany(total) && (
          <Alert role="note" color="orange">
            A file of those that match can have {digits(SEARCH_IDS_MAX)} identities. Narrow the search, or export all
            identities.
          </Alert>
        )}
        <Group gap="md">
          <Anchor component={Link} size="sm" to="/identities" search={search as never} preload={false}>
            Change the search
          </Anchor>
          <Anchor component={Link} size="sm" to="/identities/export" preload={false}>
            Export all identities instead
          </Anchor>
        </Group>
      </Stack>
    </Paper>
  );
}

export const isTooMany = (total: number | undefined): boolean => total !== undefined && total > SEARCH_IDS_MAX;
