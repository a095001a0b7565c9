import { SERVICE_HISTORY_DAYS, type ServiceChange, type ServiceStatus } from '../../../shared/services.ts';
import { clockTime, inWords, lasting } from '../../format/since.ts';

/** A time in which a service had one status; milliseconds since the epoch. */
export interface Span {
  from: number;
  to: number;
  status: ServiceStatus;
  /** What one replica saw while the database was away. */
  oneReplica: boolean;
}

export const STRIP_MS = SERVICE_HISTORY_DAYS * 86_400_000;
/** Of more, the rest is counted. */
const TOLD_MAX = 3;

/**
 * The last seven days, oldest first; of the time before the first look there is none.
 * @param changes newest first
 * @param now milliseconds since the epoch, by the server's clock
 */
export function spansOf(changes: readonly ServiceChange[], now: number): Span[] {
  const begin = now - STRIP_MS;
  const spans: Span[] = [];
  for (const { status, at, one_replica: oneReplica } of changes.toReversed()) {
    const from = Math.min(Math.max(Date.parse(at), begin), now);
    const last = spans.at(-1);
    if (last !== undefined) last.to = from;
    if (last?.status === status) last.oneReplica ||= oneReplica;
    else spans.push({ from, to: now, status, oneReplica });
  }
  const last = spans.at(-1);
  if (last !== undefined) last.to = now;
  return spans.filter(({ from, to }) => to > from || to === now);
}

/** `Up all the time.`, `Twice down, six minutes in all: now, since 10:02; 20 Nov, 11:30 for two minutes.` */
export function formatSpans(spans: readonly Span[], now: number): string {
  const [first] = spans;
  if (first === undefined) return 'Not looked at yet.';
  const watched = spans.filter(({ status }) => status !== 'not_configured');
  const told = (['down', 'degraded'] as const).flatMap((status) =>
    formatOccurrences(
      status,
      watched.filter((span) => span.status === status),
      now,
    ),
  );
  const sentences = told.length === 0 ? ['Up all the time.'] : told;
  if (first.from > now - STRIP_MS) sentences.push(`First looked at ${clockTime(first.from, now)}.`);
  return sentences.join(' ');
}

function formatOccurrences(status: 'down' | 'degraded', spans: readonly Span[], now: number): string[] {
  if (spans.length === 0) return [];
  const all = lasting(spans.reduce((sum, { from, to }) => sum + to - from, 0));
  const newest = spans.toReversed();
  const told = newest.slice(0, TOLD_MAX).map(({ from, to, oneReplica }) => {
    const seen = oneReplica ? ', as one replica saw it' : '';
    const at = clockTime(from, now);
    return to === now ? `now, since ${at}${seen}` : `${at} for ${lasting(to - from)}${seen}`;
  });
  if (spans.length > TOLD_MAX) told.push(`and ${inWords(spans.length - TOLD_MAX)} more`);
  return [`${times(spans.length)} ${status}, ${all}${spans.length > 1 ? ' in all' : ''}: ${told.join('; ')}.`];
}

function times(count: number): string {
  if (count < 3) return count === 1 ? 'Once' : 'Twice';
  const words = inWords(count);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} times`;
}
