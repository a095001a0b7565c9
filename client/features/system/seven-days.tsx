import { Paper, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import {
  SERVICE_HISTORY_DAYS,
  type ServiceChange,
  type ServiceState,
  type ServiceStatus,
} from '../../../shared/services.ts';
import { serviceHistoryQuery } from '../../api/services.ts';
import { clockTime, inWords, lasting } from '../../lib/format-time.ts';
import { SERVICE_NAMES } from '../../lib/service-state.ts';
import { useNow } from '../../ui/hooks.tsx';
import classes from './system.module.css';

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

const COUNTED_EVERY_MS = 10_000;
const HOUR_MS = 3_600_000;
const WIDTH = STRIP_MS / HOUR_MS;
/** Shorter outages would not be seen. */
const NARROWEST = 1;
/** Told apart by height where colours are not. */
const HEIGHTS = { up: 3, degraded: 6, down: 10, not_configured: 0 };
const HEIGHT = 10;

/** When each service was up, degraded and down: a strip, and the same in words. */
export function SevenDays({ services, clockAheadMs }: { services: readonly ServiceState[]; clockAheadMs: number }) {
  const now = useNow(COUNTED_EVERY_MS) + clockAheadMs;
  const configured = services.filter(({ status }) => status !== 'not_configured');
  return (
    <section aria-labelledby="seven-days" className={classes.days}>
      <Title order={3} size="h5" id="seven-days">
        The last seven days
      </Title>
      <Paper withBorder p="md">
        <div className={classes.axis} aria-hidden>
          <span>{clockTime(now - STRIP_MS, now)}</span>
          <span>now</span>
        </div>
        <ul className={classes.services}>
          {configured.map((service) => (
            <Strip key={service.name} service={service} now={now} />
          ))}
        </ul>
      </Paper>
    </section>
  );
}

function Strip({ service, now }: { service: ServiceState; now: number }) {
  const { data, error } = useQuery(serviceHistoryQuery(service));
  const spans = data === undefined ? [] : spansOf(data.changes, now);
  return (
    <li>
      <span className={classes.name}>{SERVICE_NAMES[service.name] ?? service.name}</span>
      <svg className={classes.strip} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
        {spans.map((span) => (
          <Bar key={span.from} span={span} now={now} />
        ))}
      </svg>
      <span className={classes.words}>
        {data !== undefined ? formatSpans(spans, now) : error !== null && 'This cannot be read now.'}
      </span>
    </li>
  );
}

function Bar({ span: { from, to, status }, now }: { span: Span; now: number }) {
  const narrowest = status === 'up' ? 0 : NARROWEST;
  const width = Math.max((to - from) / HOUR_MS, narrowest);
  const x = Math.min(WIDTH - (now - from) / HOUR_MS, WIDTH - width);
  const height = HEIGHTS[status];
  return <rect data-status={status} x={x} y={HEIGHT - height} width={width} height={height} />;
}
