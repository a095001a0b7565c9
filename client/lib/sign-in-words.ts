import {
  EVENT_WORDS,
  type EventRefusal,
  outcomeOf,
  REASON_WORDS,
  REFUSAL_WORDS,
  type SignInCoverage,
  type SignInEvent,
  type SignInGap,
  type SignInSource,
} from '../../shared/sign-ins.ts';
import { counted } from './format-count.ts';
import { clockTime, lasting } from './format-time.ts';
import { METHODS } from './session-labels.ts';
import { visibleText } from './visible-text.ts';

type Reported = Pick<SignInEvent, 'event' | 'identity_id' | 'method' | 'reason'>;

const REASONS: ReadonlyMap<string, string> = new Map(Object.entries(REASON_WORDS));

/** What happened: "Signed in", "Wrong password", "Token refused: scope not allowed". */
export function formatSignIn({ event, identity_id, method, reason }: Reported): string {
  const what = EVENT_WORDS[event];
  if (event === 'RecoveryInitiatedByAdmin' && method === 'link') return what.replace('code', 'link');
  if (reason === null || reason === 'other' || outcomeOf(event) !== 'failed') return what;
  const words = REASONS.get(reason);
  if (words === undefined) return `${what}: ${visibleText(reason)}`;
  const lowered = words.charAt(0).toLowerCase() + words.slice(1);
  if (event !== 'LoginFailed') return `${what}: ${lowered}`;
  if (reason !== 'invalid_credentials') return words;
  if (identity_id === null) return 'Wrong identifier or credentials';
  return method === 'password' ? 'Wrong password' : words;
}

/** Parts of a line; those that are not known are left out. */
export const joined = (...parts: (string | null)[]): string =>
  parts.flatMap((part) => (part ? visibleText(part) : [])).join(' · ');

/** "password", "social sign-in (google)"; empty if unknown. */
export function formatSignInMethod({ method, provider }: { method: string | null; provider?: string | null }): string {
  if (method === null) return '';
  return `${METHODS.get(method) ?? method.replace('_', ' ')}${provider ? ` (${provider})` : ''}`;
}

/** "The dashboard was not listening from 10:00 to 10:12 (twelve minutes)." */
export function formatGap({ cause, detail, from, to, count }: SignInGap, now = Date.now()): string {
  const [start = 0, end = 0] = [from, to].map((time) => Date.parse(time));
  const [first, last] = [clockTime(start, now), clockTime(end, now)];
  const period = first === last ? `at ${first}` : `from ${first} to ${last}`;
  if (cause === 'refused')
    return `${counted(count, 'request was', 'requests were')} refused ${period}: ${REFUSAL_WORDS[detail as EventRefusal]}.`;
  const what = cause === 'silent' ? `${visibleText(detail)} sent nothing` : 'The dashboard was not listening';
  return `${what} ${period} (${lasting(end - start)}).`;
}

type Api = NonNullable<SignInSource['api']>;

/** The services that report for an API: Kratos or Hydra. */
export const sourcesOf = ({ sources }: SignInCoverage, api: Api): SignInSource[] =>
  sources.filter((source) => source.api === api);

/** Times after `since` (milliseconds since the epoch) in which reports of an API may be missing, newest first. */
export const gapsSince = (coverage: SignInCoverage, api: Api, since = 0): SignInGap[] =>
  coverage.gaps.filter(
    ({ cause, detail, to }) =>
      Date.parse(to) > since &&
      (cause !== 'silent' || sourcesOf(coverage, api).some(({ service }) => service === detail)),
  );

/** "Reported by kratos since 20 Nov, 10:00, last at 10:02. Some may be missing: there are 2 gaps." */
export function formatReports(coverage: SignInCoverage, api: Api, since = 0, now = Date.now()): string {
  const time = (at: string): string => clockTime(Date.parse(at), now);
  const reports = sourcesOf(coverage, api).map(
    (source) => `${visibleText(source.service)} since ${time(source.since)}, last at ${time(source.last_at)}`,
  );
  const gaps = gapsSince(coverage, api, since).length;
  const missing = gaps === 0 ? '' : ` Some may be missing: the log has ${counted(gaps, 'gap', 'gaps')}.`;
  return `${reports.length === 0 ? 'Nothing has been reported yet' : `Reported by ${reports.join('; ')}`}.${missing}`;
}
