import { infiniteQueryOptions, useQuery } from '@tanstack/react-query';
import type { AuditSubject } from '../../../shared/audit.ts';
import { timeOf } from '../../../shared/json.ts';
import { readAuditPage } from '../../api/audit.ts';
import { consentsQuery } from '../../api/consents.ts';
import { onePageQuery } from '../../api/cursor-page.ts';
import { type Identity, identityQuery } from '../../api/identities.ts';
import { type ListedMessage, latestMessagesQuery, messageAddresses } from '../../api/messages.ts';
import { LOCKED_ACCOUNTS_KEY, readLocksOf } from '../../api/security.ts';
import { useCan } from '../../api/session.ts';
import { identitySessionsQuery } from '../../api/sessions.ts';
import { signInCoverageQuery, signInsOfQuery } from '../../api/sign-ins.ts';
import { TrailLink } from '../../audit/record-list.tsx';
import { hasApplications, hasSignInLog, holders } from '../../deployment.ts';
import { sessionState } from '../../lib/session-labels.ts';
import { formatReports, gapsSince } from '../../lib/sign-in-words.ts';
import { useRecord } from '../../record/tabs.tsx';
import { LatestEvents, Timeline } from '../../record/timeline.tsx';
import {
  rowsOf,
  type TimelineSource,
  usePagedQuery,
  useTrailLines,
  useTrailSource,
} from '../../record/timeline-sources.tsx';
import { TextLink } from '../../ui/layout.tsx';
import { signInIdentifiers } from '../sign-in-diagnosis/evidence.ts';
import { lastStateChange, UndoState } from './change-state.tsx';
import { IdentityNotes } from './identity-notes.tsx';
import {
  consentLine,
  gapLine,
  lockLine,
  messageLine,
  recordLines,
  sessionLines,
  signInLines,
} from './identity-timeline-lines.tsx';

/** How many unlocks to search for those of an identity: the trail cannot be searched by identifier. */
const UNLOCKS_READ = 100;

const unlocksQuery = onePageQuery(
  ['security', 'audit', 'history', 'unlocks'],
  async (signal) => (await readAuditPage({ action: 'account_unlock', pageSize: UNLOCKS_READ }, signal)).rows,
);

/** How many ended sessions to look up in the trail, with a request for each. */
const SESSION_ENDS_READ = 10;
/** A session rarely has more than a few extensions and one end. */
const RECORDS_OF_A_SESSION = 10;

/** Records of what operators did to these sessions; only the first `SESSION_ENDS_READ` sessions count. */
const sessionEndsQuery = (ids: readonly string[]) =>
  onePageQuery(['security', 'audit', 'history', 'sessions', ids], async (signal) => {
    const pages = ids.slice(0, SESSION_ENDS_READ).map((id) => {
      const subject: AuditSubject = `session:${id.toLowerCase()}`;
      return readAuditPage({ subject, action: 'proxy_write', pageSize: RECORDS_OF_A_SESSION }, signal);
    });
    return (await Promise.all(pages)).flatMap(({ rows }) => rows);
  });

const KINDS = [
  ['trail', 'Changes here'],
  ['record', 'Record'],
  ['sessions', 'Sign-ins'],
  ['messages', 'Messages'],
  ['consents', 'Consents'],
  ['locks', 'Locks'],
] as const;

const LIMIT_OF_CONSENTS =
  'Only consents with this identity’s ID as the OAuth subject are shown. A revocation is known only if an operator did it here.';

/** @param mayReadTrail or only the records about this person */
const limitsWith = (mayReadTrail: boolean): readonly string[] => [
  'Of changes that people make themselves, such as a new password, only the time of the last one is known.',
  mayReadTrail
    ? `The end of a session is known only if an operator ended it here, and only for the latest ${SESSION_ENDS_READ}. If all sessions were ended at once, they are no longer listed.`
    : `Only ${holders(['audit.read'])} can see who ended a single session or unlocked the account.`,
  'Only messages to the current addresses are shown.',
  LIMIT_OF_CONSENTS,
  `Only locks in force are shown${mayReadTrail ? `, and unlocks by operators only if they are among the latest ${UNLOCKS_READ} of all accounts` : ''}.`,
];

const LIMIT_OF_LOG =
  'Attempts with a mistyped identifier or by an inactive person do not name the person, so they are not shown. Address and device are as reported.';

export function IdentityTimeline() {
  const identity = useRecord(identityQuery);
  const { data: coverage } = useQuery({ ...signInCoverageQuery, enabled: useReadsSignIns() });
  const gaps = coverage === undefined ? [] : gapsSince(coverage, 'identity', timeOf(identity.created_at));
  const subject = `identity:${identity.id}` as const;
  const mayReadTrail = useCan()('audit.read');
  return (
    <Timeline
      kinds={KINDS.filter(([kind]) => hasApplications() || kind !== 'consents')}
      sources={[
        ...useIdentitySources(identity),
        { name: 'the gaps of the sign-in log', kinds: ['sessions'], lines: gaps.map(gapLine) },
      ]}
      limits={[
        ...limitsWith(mayReadTrail).filter((limit) => hasApplications() || limit !== LIMIT_OF_CONSENTS),
        ...(coverage === undefined
          ? []
          : [
              `Sign-ins: ${formatReports(coverage, 'identity', timeOf(identity.created_at))} They are stored for ${coverage.kept_days} days.`,
              LIMIT_OF_LOG,
            ]),
      ]}
      beside={
        <>
          <TrailLink subject={subject} />
          {coverage !== undefined && (
            <TextLink size="sm" to="/security/sign-ins" search={{ identity_id: identity.id } as never}>
              View this person’s sign-ins
            </TextLink>
          )}
          {mayReadTrail && (
            <TextLink size="sm" to="/security/audit" search={{ actor: identity.id } as never}>
              View this identity’s actions as an operator
            </TextLink>
          )}
        </>
      }
    />
  );
}

export function NotesAndLatest() {
  const identity = useRecord(identityQuery);
  return (
    <>
      {useCan()('notes.read') && <IdentityNotes id={identity.id} />}
      <LatestEvents sources={useIdentitySources(identity)} />
    </>
  );
}

function useIdentitySources(identity: Identity): TimelineSource[] {
  const trail = useTrailSource(`identity:${identity.id}`, (record, records) =>
    record === lastStateChange(identity, records) ? <UndoState identity={identity} /> : undefined,
  );
  return [
    trail,
    { name: 'the record', kinds: ['record'], lines: recordLines(identity) },
    ...useSessionSources(identity),
    useMessageSource(identity),
    useConsentSource(identity),
    ...useLockSources(identity),
  ];
}

const useReadsSignIns = (): boolean => useCan()('sign-ins.read') && hasSignInLog();

function useSessionSources(identity: Identity): TimelineSource[] {
  const pagedQuery = usePagedQuery(identitySessionsQuery(identity.id), {
    staleTime: JUST_LOADED_MS,
    // Sessions are ordered by `issued_at`, even after a second sign-in to the same session.
    oldest: ({ rows }) => rows.at(-1)?.issued_at,
  });
  const ended = (pagedQuery.pages[0]?.rows ?? []).filter((session) => sessionState(session, identity) === 'ended');
  const ids = ended.map(({ id }) => id).slice(0, SESSION_ENDS_READ);
  const ends = usePagedQuery(sessionEndsQuery(ids), { enabled: useCan()('audit.read') && ids.length > 0 });
  const log = usePagedQuery(signInsOfQuery(identity.id), {
    enabled: useReadsSignIns(),
    staleTime: JUST_LOADED_MS,
    oldest: ({ rows }) => rows.at(-1)?.at,
  });
  const lines = rowsOf(pagedQuery).flatMap((session) => sessionLines(session, identity));
  return [
    { name: 'the sessions', kinds: ['sessions'], pagedQuery, lines },
    { name: 'the sign-in log', kinds: ['sessions'], pagedQuery: log, lines: signInLines(rowsOf(log), lines) },
    {
      name: 'who ended sessions',
      kinds: ['sessions'],
      pagedQuery: ends,
      lines: useTrailLines(rowsOf(ends), () => 'sessions'),
    },
  ];
}

function useMessageSource(identity: Identity): TimelineSource {
  const addresses = messageAddresses(identity);
  const pagedQuery = usePagedQuery(messagesToQuery(addresses), {
    enabled: addresses.length > 0,
    staleTime: JUST_LOADED_MS,
    oldest: ({ loadedTo }) => loadedTo,
  });
  return {
    name: 'the messages',
    kinds: ['messages'],
    pagedQuery,
    lines: rowsOf(pagedQuery).map(messageLine),
  };
}

function useConsentSource({ id }: Identity): TimelineSource {
  const pagedQuery = usePagedQuery(consentsQuery(id), { enabled: hasApplications(), staleTime: JUST_LOADED_MS });
  return {
    name: 'the consents',
    kinds: ['consents'],
    pagedQuery,
    lines: rowsOf(pagedQuery).map((consent) => consentLine(consent, id)),
  };
}

function useLockSources(identity: Identity): TimelineSource[] {
  const may = useCan();
  const identifiers = signInIdentifiers(identity);
  const locksQuery = onePageQuery([...LOCKED_ACCOUNTS_KEY, 'timeline', [...identifiers]], (signal) =>
    readLocksOf([...identifiers], signal),
  );
  const locks = usePagedQuery(locksQuery, { enabled: may('locks.read') });
  const unlocks = usePagedQuery(unlocksQuery, { enabled: may('audit.read') });
  const records = rowsOf(unlocks).filter(({ target }) => identifiers.has(target ?? ''));
  return [
    { name: 'the locked accounts', kinds: ['locks'], pagedQuery: locks, lines: rowsOf(locks).map(lockLine) },
    { name: 'the unlocks', kinds: ['locks'], pagedQuery: unlocks, lines: useTrailLines(records, () => 'locks') },
  ];
}

/** Reuses pages that the tab counts have just loaded. */
const JUST_LOADED_MS = 5_000;

type Cursors = ReadonlyMap<string, string>;

interface MessagesPage {
  rows: readonly ListedMessage[];
  more: Cursors;
  /** All messages after this time are loaded (ISO 8601); undefined once all messages are loaded. */
  loadedTo: string | undefined;
}

/** Messages to these addresses, not in order. Merged here, because Kratos filters by only one recipient. */
export const messagesToQuery = (addresses: readonly string[]) =>
  infiniteQueryOptions({
    queryKey: ['messages', 'to', addresses],
    async queryFn({ pageParam, client, queryKey }): Promise<MessagesPage> {
      // Only the first load may reuse cached pages; a refetch must not.
      const staleTime = client.getQueryData(queryKey) === undefined ? JUST_LOADED_MS : 0;
      const recipients = pageParam === undefined ? addresses : [...pageParam.keys()];
      const pages = await Promise.all(
        recipients.map(async (recipient) => {
          const token = pageParam?.get(recipient);
          return { recipient, ...(await client.fetchQuery({ ...latestMessagesQuery(recipient, token), staleTime })) };
        }),
      );
      const unfinished = pages.filter(({ next }) => next !== undefined);
      return {
        rows: pages.flatMap(({ rows }) => rows),
        more: new Map(unfinished.map(({ recipient, next = '' }) => [recipient, next])),
        loadedTo: latest(unfinished.map(({ rows }) => rows.at(-1)?.created ?? '')),
      };
    },
    initialPageParam: undefined as Cursors | undefined,
    getNextPageParam: ({ more }) => (more.size === 0 ? undefined : more),
    retry: false,
  });

const latest = (times: readonly string[]): string | undefined =>
  times.toSorted((one, other) => timeOf(other) - timeOf(one))[0];
