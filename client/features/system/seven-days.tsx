import { Paper, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ServiceState } from '../../../shared/services.ts';
import { SERVICE_NAMES } from '../../format/services.ts';
import { clockTime } from '../../format/since.ts';
import { useNow } from '../../ui/hooks/use-now.ts';
import { serviceHistoryQuery } from './service-history-query.ts';
import classes from './seven-days.module.css';
import { formatSpans, type Span, STRIP_MS, spansOf } from './spans.ts';

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
