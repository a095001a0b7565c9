import { Group, Paper, Text, Title } from '@mantine/core';
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
import classes from './system.module.css';

const STRIP_MS = SERVICE_HISTORY_DAYS * 86_400_000;

/** When each service was up, degraded or down, as a strip and in words. @param now by the server's clock */
export function SevenDays({ services, now }: { services: readonly ServiceState[]; now: number }) {
  return (
    <section aria-labelledby="seven-days">
      <Title order={3} id="seven-days" mt="lg" mb="sm">
        The last seven days
      </Title>
      <Paper withBorder p="md">
        <Group justify="space-between" mb="0.25rem" fz="xs" c="dimmed" className={classes.axis} aria-hidden>
          <span>{clockTime(now - STRIP_MS, now)}</span>
          <span>now</span>
        </Group>
        <ul className={classes.services}>
          {services
            .filter(({ status }) => status !== 'not_configured')
            .map((service) => (
              <Strip key={service.name} service={service} now={now} />
            ))}
        </ul>
      </Paper>
    </section>
  );
}

const HOUR_MS = 3_600_000;
const WIDTH = STRIP_MS / HOUR_MS;
/** Makes short outages visible. */
const WIDTH_MIN = 1;
/** Heights distinguish the statuses without colour. */
const HEIGHTS = { up: 3, degraded: 6, down: 10, not_configured: 0 };
const HEIGHT = 10;

function Strip({ service, now }: { service: ServiceState; now: number }) {
  const { data, error } = useQuery(serviceHistoryQuery(service));
  const spans = data === undefined ? [] : spansOf(data.changes, now);
  return (
    <li>
      <Text span size="sm" fw={500}>
        {SERVICE_NAMES[service.name] ?? service.name}
      </Text>
      <svg className={classes.strip} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
        {spans.map(({ from, to, status }) => {
          const width = Math.max((to - from) / HOUR_MS, status === 'up' ? 0 : WIDTH_MIN);
          const x = Math.min(WIDTH - (now - from) / HOUR_MS, WIDTH - width);
          const height = HEIGHTS[status];
          return <rect key={from} data-status={status} x={x} y={HEIGHT - height} width={width} height={height} />;
        })}
      </svg>
      {/* Reserves a line's height until the text has loaded. */}
      <Text span size="xs" c="dimmed" lh="1.125rem" mih="1.125rem" className={classes.words}>
        {data !== undefined ? formatSpans(spans, now) : error !== null && 'Its history could not be loaded.'}
      </Text>
    </li>
  );
}

/** A period in which a service had one status; milliseconds since the epoch. */
interface Span {
  from: number;
  to: number;
  status: ServiceStatus;
  /** Observed by one replica while the database was down. */
  oneReplica: boolean;
}

/**
 * The last seven days, oldest first, starting with the first check.
 * @param changes newest first
 * @param now milliseconds since the epoch, by the server's clock
 */
export function spansOf(changes: readonly ServiceChange[], now: number): Span[] {
  const spans: Span[] = [];
  for (const { status, at, one_replica: oneReplica } of changes.toReversed()) {
    const from = Math.min(Math.max(Date.parse(at), now - STRIP_MS), now);
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
  if (first === undefined) return 'Not checked yet.';
  const sentences = (['down', 'degraded'] as const).flatMap((status) => {
    const occurrences = spans.filter((span) => span.status === status);
    return occurrences.length === 0 ? [] : [formatOccurrences(status, occurrences, now)];
  });
  if (sentences.length === 0) sentences.push('Up all the time.');
  if (first.from > now - STRIP_MS) sentences.push(`First checked at ${clockTime(first.from, now)}.`);
  return sentences.join(' ');
}

/** Further occurrences are only counted. */
const OCCURRENCES_MAX = 3;

function formatOccurrences(status: 'down' | 'degraded', spans: readonly Span[], now: number): string {
  const total = lasting(spans.reduce((sum, { from, to }) => sum + to - from, 0));
  const newest = spans.toReversed().slice(0, OCCURRENCES_MAX);
  const occurrences = newest.map(({ from, to, oneReplica }) => {
    const at = clockTime(from, now);
    const when = to === now ? `now, since ${at}` : `${at} for ${lasting(to - from)}`;
    return oneReplica ? `${when}, as one replica saw it` : when;
  });
  if (spans.length > OCCURRENCES_MAX) occurrences.push(`and ${inWords(spans.length - OCCURRENCES_MAX)} more`);
  return `${times(spans.length)} ${status}, ${total}${spans.length > 1 ? ' in all' : ''}: ${occurrences.join('; ')}.`;
}

function times(count: number): string {
  if (count < 3) return count === 1 ? 'Once' : 'Twice';
  const words = inWords(count);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} times`;
}
