import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Deployment } from '../../shared/upstreams.ts';
import type { AuditQueueState } from '../audit/trail.ts';
import type { DeadlockCounts } from '../db/errors.ts';
import type { ObserveEnd } from '../http/request-log.ts';
import type { RefusedSession } from '../session/session-verifier.ts';
import type { CacheCounts } from '../settings/cache.ts';
import type { ObserveUpstream } from '../upstream/failure.ts';

/** Seconds. */
export const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

interface Series {
  labels: Record<string, string>;
  count: number;
  sum: number;
  /** Of each bucket what is in none before it. */
  counts: number[];
}

/**
 * A histogram for what is measured with every request: `prom-client` looks its labels up anew each time, which costs more
 * than the rest of the measurement.
 */
export interface Durations {
  /** A series to give to `observe`, one for the same labels; kept by the caller. */
  series(labels: Record<string, string>): Series;
  observe(series: Series, seconds: number): void;
}

/** @param labelNames of every series */
export function durations(
  registry: Registry,
  { name, help, labelNames }: { name: string; help: string; labelNames: readonly string[] },
): Durations {
  const all = new Map<string, Series>();
  const values = () =>
    [...all.values()].flatMap(({ labels, count, sum, counts }) => {
      let below = 0;
      const buckets = BUCKETS.map((le, index) => {
        below += counts[index] ?? 0;
        return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: below };
      });
      return [
        ...buckets,
        { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ];
    });
  const metric = {
    name,
    labelNames,
    get: async () => ({ name, help, type: 'histogram', values: values(), aggregator: 'sum' }),
    reset: () => {},
  };
  registry.registerMetric(metric as unknown as Parameters<Registry['registerMetric']>[0]);
  return {
    series(labels) {
      const name = JSON.stringify(labels);
      const series: Series = all.get(name) ?? { labels, count: 0, sum: 0, counts: BUCKETS.map(() => 0) };
      all.set(name, series);
      return series;
    },
    observe(series, seconds) {
      series.count += 1;
      series.sum += seconds;
      for (let index = 0; index < BUCKETS.length; index += 1)
        if (seconds <= (BUCKETS[index] as number)) {
          series.counts[index] = (series.counts[index] as number) + 1;
          return;
        }
    },
  };
}

/** What happens; called only where metrics are on. Every text is one of a fixed set, none a caller's. */
export interface Observers {
  request: ObserveEnd;
  upstream: ObserveUpstream;
  refusedSession(reason: RefusedSession): void;
}

/** What is the case when the page is read. */
export interface Measured {
  auditQueue(): AuditQueueState;
  deadlocks: Readonly<DeadlockCounts>;
  settingsCache(): CacheCounts;
  /** Seconds since the changes of other processes were read. */
  secondsSincePoll(): number;
  /** Seconds since the last whole reading of each list began; undefined before the first. */
  indexAges(): Record<string, number | undefined>;
  isDraining(): boolean;
}

export interface Metrics {
  observers: Observers;
  /** Called once, when the service has been built. */
  measure(measured: Measured): void;
  contentType: string;
  /** Prometheus' text format. */
  page(): Promise<string>;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counters and gauges for Prometheus, with those of the process that `prom-client` knows. */
export function createMetrics(facts: { deployment: Deployment; version: string }): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ deployment: facts.deployment });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const gauge = (name: string, help: string, value: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  const total = (name: string, help: string, value: () => number): void => {
    const counter: Counter = new Counter({
      name,
      help,
      registers,
      collect() {
        counter.reset();
        counter.inc(value());
      },
    });
  };

  new Gauge({ name: 'dashboard_info', help: 'The release that runs.', labelNames: ['version', 'node'], registers })
    .labels(facts.version, process.version)
    .set(1);
  const requests = durations(registry, {
    name: 'dashboard_http_request_duration_seconds',
    help: 'Requests by the pattern of their route, from their head to the end of the response.',
    labelNames: ['route', 'method', 'status'],
  });
  const upstreams = new Histogram({
    name: 'dashboard_upstream_request_duration_seconds',
    help: 'Requests to the services behind the dashboard, until the head of the response: forwarded, or its own.',
    labelNames: ['upstream', 'by', 'outcome'],
    buckets: BUCKETS,
    registers,
  });
  const refused = new Counter({
    name: 'dashboard_sessions_refused_total',
    help: 'Session cookies that opened nothing.',
    labelNames: ['reason'],
    registers,
  });
  const known = new Map<unknown, Map<string, Map<number | 'aborted', ReturnType<typeof requests.series>>>>();

  /** Of a route, a method and a status. */
  function seriesOf(key: unknown, route: string, method: string, status: number | 'aborted') {
    const ofRoute = known.get(key) ?? new Map();
    known.set(key, ofRoute);
    const ofMethod = ofRoute.get(method) ?? new Map();
    ofRoute.set(method, ofMethod);
    const series = requests.series({ route, method, status: String(status) });
    ofMethod.set(status, series);
    return series;
  }

  return {
    observers: {
      request(key, route, method, status, seconds) {
        const allowed = METHODS.has(method) ? method : 'other';
        const series = known.get(key)?.get(allowed)?.get(status) ?? seriesOf(key, route, allowed, status);
        requests.observe(series, seconds);
      },
      upstream: (upstream, by, outcome, seconds) => upstreams.labels(upstream, by, outcome).observe(seconds),
      refusedSession: (reason) => refused.labels(reason).inc(),
    },
    measure({ auditQueue, deadlocks, settingsCache, secondsSincePoll, indexAges, isDraining }) {
      gauge('dashboard_draining', '1 while it shuts down.', () => Number(isDraining()));
      gauge('dashboard_audit_queue_waiting', 'Records that wait for the database.', () => auditQueue().waiting);
      gauge('dashboard_audit_queue_failing', '1 if the last write of records failed.', () =>
        Number(auditQueue().failing),
      );
      total('dashboard_audit_records_dropped_total', 'Records that were lost.', () => auditQueue().dropped);
      total(
        'dashboard_transactions_retried_total',
        'Transactions run again after a deadlock.',
        () => deadlocks.retried,
      );
      total(
        'dashboard_transactions_given_up_total',
        'Transactions that deadlocks kept from ending.',
        () => deadlocks.givenUp,
      );
      total('dashboard_settings_cache_hits_total', 'Settings that were at hand.', () => settingsCache().hits);
      total('dashboard_settings_cache_misses_total', 'Settings read from the database.', () => settingsCache().misses);
      gauge(
        'dashboard_change_poll_age_seconds',
        'Since revocations and settings of other processes were read.',
        secondsSincePoll,
      );
      new Gauge({
        name: 'dashboard_index_age_seconds',
        help: 'Since the last whole reading of a list for the index began.',
        labelNames: ['list'],
        registers,
        collect() {
          this.reset();
          for (const [list, age] of Object.entries(indexAges())) if (age !== undefined) this.labels(list).set(age);
        },
      });
    },
    contentType: registry.contentType,
    page: () => registry.metrics(),
  };
}
