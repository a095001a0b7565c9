import { Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { CSSProperties } from 'react';
import {
  SERVICE_HISTORY_DAYS,
  type ServiceChange,
  type ServiceState,
  type ServiceStatus,
} from '../../../shared/services.ts';
import { serviceHistoryQuery } from '../../api/services.ts';
import { clockTime, inWords, lasting, MONTHS } from '../../lib/format-time.ts';
import { SERVICE_NAMES, STATES } from '../../lib/service-state.ts';
import { momentOf, onClock } from '../../lib/time-zone.ts';
import classes from './system.module.css';

const STRIP_MS = SERVICE_HISTORY_DAYS * 86_400_000;

/** When each service was up, degraded or down, by day and in words. @param now by the server's clock */
export function SevenDays({ services, now }: { services: readonly ServiceState[]; now: number }) {
  const days = daysUntil(now);
  return (
    <section aria-labelledby="seven-days">
      <Title order={3} id="seven-days" mt="lg" mb="sm">
        The last seven days
      </Title>
      <Paper withBorder p="md">
        <div className={classes.axis} aria-hidden>
          {days.map(({ from, name }, index) => (
            <span key={from}>{index === days.length - 1 ? 'Today' : name.replace(/ \w+$/, '')}</span>
          ))}
        </div>
        <Stack component="ul" gap="0.625rem" m={0} p={0} className={classes.services}>
          {services.map((service) => (
            <Strip key={service.name} service={service} days={days} now={now} />
          ))}
        </Stack>
      </Paper>
    </section>
  );
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Seven days in the operator's time zone, the last one today. `from` and `to` are midnights. */
function daysUntil(now: number) {
  const today = onClock(new Date(now));
  const midnight = (index: number): number =>
    Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + index - SERVICE_HISTORY_DAYS + 1);
  return Array.from({ length: SERVICE_HISTORY_DAYS }, (_, index) => {
    const day = new Date(midnight(index));
    return {
      /** `Thu 26 Nov` */
      name: `${WEEKDAYS[day.getUTCDay()]} ${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]}`,
      from: momentOf(midnight(index)).getTime(),
      to: momentOf(midnight(index + 1)).getTime(),
    };
  });
}
type Day = ReturnType<typeof daysUntil>[number];

/** The bars are for the eye: the sentence below says the same. */
function Strip({ service, days, now }: { service: ServiceState; days: readonly Day[]; now: number }) {
  const { data, error } = useQuery(serviceHistoryQuery(service));
  const spans = data === undefined ? [] : spansOf(data.changes, now);
  return (
    <li>
      <Text span size="sm" fw={500}>
        {SERVICE_NAMES[service.name] ?? service.name}
      </Text>
      <div className={classes.strip} aria-hidden>
        {days.map((day) => {
          const parts = partsOf(day, spans);
          return (
            <div key={day.from} title={data === undefined ? day.name : `${day.name}: ${formatParts(parts)}`}>
              {parts.map(({ from, to, status }) => (
                <i
                  key={from}
                  data-status={status}
                  style={
                    {
                      '--from': (from - day.from) / (day.to - day.from),
                      '--share': (to - from) / (day.to - day.from),
                    } as CSSProperties
                  }
                />
              ))}
            </div>
          );
        })}
      </div>
      {/* Reserves a line's height until the text has loaded. */}
      <Text span size="xs" c="dimmed" lh="1.125rem" mih="1.125rem" className={classes.words}>
        {data !== undefined ? formatSpans(spans, now) : error !== null && 'Its history could not be loaded.'}
      </Text>
    </li>
  );
}

const partsOf = (day: Day, spans: readonly Span[]): Span[] =>
  spans
    .map((span) => ({ ...span, from: Math.max(span.from, day.from), to: Math.min(span.to, day.to) }))
    .filter(({ from, to }) => to > from);

/** `up`, `down four minutes, degraded two hours` */
function formatParts(parts: readonly Span[]): string {
  if (parts.length === 0) return 'not checked';
  const troubles = (['down', 'degraded'] as const).flatMap((status) => {
    const total = parts.reduce((sum, part) => (part.status === status ? sum + part.to - part.from : sum), 0);
    return total === 0 ? [] : [`${status} ${lasting(total)}`];
  });
  return troubles.join(', ') || 'up';
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

/** `Up all the time.`, `Down for six minutes in all, two times: now, since 10:02; 20 Nov, 11:30 for two minutes.` */
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

/** More occurrences are only counted. */
const OCCURRENCES_MAX = 3;

function formatOccurrences(status: 'down' | 'degraded', spans: readonly Span[], now: number): string {
  const total = lasting(spans.reduce((sum, { from, to }) => sum + to - from, 0));
  const newest = spans.toReversed().slice(0, OCCURRENCES_MAX);
  const occurrences = newest.map(({ from, to, oneReplica }) => {
    const at = clockTime(from, now);
    const when = to === now ? `now, since ${at}` : `${at} for ${lasting(to - from)}`;
    return oneReplica ? `${when}, according to one replica` : when;
  });
  if (spans.length > OCCURRENCES_MAX) occurrences.push(`and ${inWords(spans.length - OCCURRENCES_MAX)} more`);
  const count = spans.length === 1 ? '' : ` in all, ${inWords(spans.length)} times`;
  return `${STATES[status]} for ${total}${count}: ${occurrences.join('; ')}.`;
}
