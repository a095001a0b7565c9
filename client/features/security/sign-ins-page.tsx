import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { outcomeOf, type SignInEvent, type SignInGap } from '../../../shared/sign-ins.ts';
import { resolveTimes } from '../../api/audit.ts';
import type { CursorPage } from '../../api/cursor-page.ts';
import { useSubjectNames } from '../../api/names.ts';
import { useCan } from '../../api/session.ts';
import {
  readSignInsPage,
  SIGN_IN_FILTERS,
  SIGN_IN_PAGES_KEY,
  type SignInFilter,
  type SignInPageParams,
  signInCoverageQuery,
  signInsPageQuery,
} from '../../api/sign-ins.ts';
import { NamedLink } from '../../audit/record-names.tsx';
import { thingOf } from '../../audit/record-sentence.ts';
import { hasSignInLog } from '../../deployment.ts';
import { digits } from '../../lib/format-count.ts';
import { formatGap, formatSignIn, formatSignInMethod, joined } from '../../lib/sign-in-words.ts';
import { capitalised, visibleText } from '../../lib/visible-text.ts';
import { type Columns, Unknown } from '../../list/columns.tsx';
import { useCursorHistory } from '../../list/cursor-list.ts';
import { FilterChips } from '../../list/filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import type { NewerRowsQuery, RowMark } from '../../list/newer-rows.tsx';
import { NoMatch } from '../../list/search.tsx';
import { RelativeTime, StatusDot } from '../../ui/facts.tsx';
import { GuardedPage, StatePanel } from '../../ui/state-panel.tsx';
import { rowWriters, useLogExport } from './log-export.tsx';
import { textsIn } from './search-params.ts';
import { Coverage } from './sign-in-coverage.tsx';
import { useSignInFilters } from './sign-in-filters.tsx';
import { SIGN_INS } from './sign-in-resource.ts';

/** An event with the name of whom it is about, and the gaps between it and the event above it. */
type Row = SignInEvent & { name?: string | undefined; gaps?: readonly SignInGap[] | undefined };

const subjectOf = ({ identity_id, client_id }: SignInEvent) =>
  identity_id !== null ? (`identity:${identity_id}` as const) : client_id !== null && (`client:${client_id}` as const);

/** Text that may be cut off, in full on hover. */
const titled = (words: string) => <bdi title={visibleText(words)}>{visibleText(words)}</bdi>;

const DOTS = { succeeded: 'good', failed: 'bad', other: 'off' } as const;

const COLUMNS: Columns<Row> = {
  what: {
    label: 'What happened',
    width: 2.9,
    cell: (row) => (
      <span title={formatSignIn(row)}>
        {/* The text is beside the dot, since a cell can only shorten text of its own. */}
        <StatusDot status={DOTS[outcomeOf(row.event)]}>{null}</StatusDot>
        {formatSignIn(row)}
        {row.count > 1 && `, ${digits(row.count)} times`}
      </span>
    ),
  },
  who: {
    label: 'Person or client',
    width: 1.3,
    cell(row, tabIndex) {
      const thing = thingOf(subjectOf(row) || '');
      if (thing === undefined) return <Unknown>unknown</Unknown>;
      return (
        <NamedLink quiet thing={thing} tabIndex={tabIndex}>
          {visibleText(row.name ?? thing.id)}
        </NamedLink>
      );
    },
  },
  method: { label: 'Method', width: 0.9, wideOnly: true, cell: (row) => titled(capitalised(formatSignInMethod(row))) },
  place: {
    label: 'Reported from',
    width: 2,
    cell: ({ ip, place }) => titled(joined(ip, place)),
  },
  device: { label: 'Reported device', width: 1.6, cell: ({ device }) => titled(device ?? '') },
  service: { label: 'Service', width: 1.4, wideOnly: true, cell: ({ service }) => service },
  at: { label: 'Time', width: '8.5rem', cell: ({ at }) => <RelativeTime at={at} /> },
};

const markOf = ({ id, at }: SignInEvent): RowMark => ({ id, at: Date.parse(at) });

const NEWER: NewerRowsQuery<Row, SignInPageParams> = {
  ...{ one: 'entry', many: 'entries', markOf },
  async readFirst({ token: _, ...params }, signal) {
    const { rows, next } = await readSignInsPage(params, signal);
    return { marks: rows.map(markOf), more: next !== undefined };
  },
  isFree: ({ ip }) => ip === undefined,
};

const route = getRouteApi('/signed-in/security/sign-ins');

const EXPORTED_AT_ONCE = 250;
/** The members of an event, and what it says. */
const WRITERS = rowWriters<SignInEvent>(
  {
    ...Object.fromEntries(
      (
        'at event service identity_id session_id client_id method provider reason ip country place device count'.split(
          ' ',
        ) as (keyof SignInEvent)[]
      ).map((name) => [name, (row: SignInEvent) => row[name] ?? '']),
    ),
    'in words': formatSignIn,
  },
  formatSignIn,
);

export function SignInsPage() {
  const may = useCan();
  const filter: SignInFilter = textsIn(route.useSearch(), SIGN_IN_FILTERS);
  const exporting = useLogExport({
    ...{ subject: 'sign-ins', one: 'entry', many: 'entries', writers: WRITERS },
    isAll: Object.keys(filter).length === 0,
    pages() {
      const fixed = resolveTimes(filter, Date.now());
      return (token, signal) => readSignInsPage({ ...fixed, pageSize: EXPORTED_AT_ONCE, token }, signal);
    },
  });
  if (!hasSignInLog())
    return (
      <GuardedPage open={may('sign-ins.read')} needs={SIGN_INS.needs} title={SIGN_INS.label} about={SIGN_INS.about}>
        <StatePanel
          kind="no-data"
          title="The sign-in log is off"
          text="Set EVENTS_PORT, and let Kratos and Hydra send their traces there. The command setup prints their configuration; docs/sign-in-log.md describes it."
        />
      </GuardedPage>
    );
  return (
    <ListPage
      resource={SIGN_INS}
      about={SIGN_INS.about}
      actions={may('audit.read') && exporting.button}
      service="The sign-in log"
      query={signInsPageQuery}
      pagesKey={SIGN_IN_PAGES_KEY}
      useExtras={useNamesAndGaps}
      columns={COLUMNS}
      plain
      above={({ gaps = [] }: Row) => gaps.map((gap) => formatGap(gap))}
      nameOf={formatSignIn}
      search={<FilterChips useFilters={useSignInFilters} />}
      isSearch={({ pageSize: _, token: __, ...filter }) => Object.keys(filter).length > 0}
      noMatch={
        <NoMatch
          title="No entry matches"
          text="Some attempts may not have been reported."
          offers={[{ label: 'Show everything', to: { search: {} } }]}
        />
      }
      noData="Entries appear here once somebody signs in, or fails to."
      newer={NEWER}
      order={() => 'Newest first. Address, place and device are as reported: whoever reaches Kratos can invent them.'}
      bulkActions={null}
    >
      {exporting.progress}
      <Coverage />
    </ListPage>
  );
}

function useNamesAndGaps(page: CursorPage<Row> | undefined): CursorPage<Row> | undefined {
  const names = useSubjectNames(page?.rows.flatMap((row) => subjectOf(row) || []) ?? []);
  const gaps = useQuery(signInCoverageQuery).data?.gaps;
  const { to: end }: SignInFilter = useSearch({ strict: false });
  // Gaps above the first row are known only if nothing newer is left out.
  const isNewest = useCursorHistory().length === 0 && end === undefined;
  return useMemo(() => {
    if (page === undefined) return page;
    const rows = page.rows.map((row, index): Row => {
      const above = page.rows[index - 1]?.at ?? (isNewest ? '9999' : '');
      return {
        ...row,
        name: names.get(subjectOf(row) || ''),
        gaps: gaps?.filter(({ to }) => to > row.at && to <= above) ?? [],
      };
    });
    return { ...page, rows };
  }, [page, names, gaps, isNewest]);
}
