import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Deployment } from '../../shared/upstreams.ts';
import type { Observers } from '../context.ts';
import type { Deps } from '../deps.ts';
import type { ObserveEnd } from '../http/request-log.ts';

/** Seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

type Measured = Deps['measured'] & { requestsInFlight(): number };

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counters and gauges for Prometheus, including the process metrics of `prom-client`. */
export function createMetrics(facts: { deployment: Deployment; version: string }) {
  const registry = new Registry();
  registry.setDefaultLabels({ deployment: facts.deployment });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  const total = (name: string, help: string, value: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(value());
      },
    });
  const histogram = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Histogram({ name, help, labelNames, buckets: BUCKETS, registers });
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });

  new Gauge({ name: 'dashboard_info', help: 'The running release.', labelNames: ['version', 'node'], registers })
    .labels(facts.version, process.version)
    .set(1);
  const requests = histogram(
    'dashboard_http_request_duration_seconds',
    'Requests by route pattern, timed from the head of the request to the end of the response.',
    ['route', 'method', 'status'],
  );
  const upstreams = histogram(
    'dashboard_upstream_request_duration_seconds',
    'Forwarded and own requests to the services behind the dashboard, timed until the head of the response.',
    ['upstream', 'by', 'outcome'],
  );
  const refused = counter('dashboard_sessions_refused_total', 'Session cookies that were refused.', 'reason');
  const signIns = counter(
    'dashboard_sign_ins_total',
    'Sign-ins that ended: ok, the reason of a refusal, or error.',
    'outcome',
  );

  const eventRequests = counter(
    'dashboard_event_requests_total',
    'Requests of Kratos and Hydra to the listener for events: stored, or the reason of a refusal.',
    'outcome',
  );
  const events = counter('dashboard_events_stored_total', 'Events added to the sign-in log.');

  const observers: Observers & { request: ObserveEnd } = {
    request: (route, method, status, seconds) =>
      requests.labels(route, METHODS.has(method) ? method : 'other', String(status)).observe(seconds),
    upstream: (upstream, by, outcome, seconds) => upstreams.labels(upstream, by, outcome).observe(seconds),
    refusedSession: (reason) => refused.labels(reason).inc(),
    signIn: (outcome) => signIns.labels(outcome).inc(),
    events(outcome) {
      eventRequests.labels(typeof outcome === 'number' ? 'stored' : outcome).inc();
      if (typeof outcome === 'number') events.inc(outcome);
    },
  };
  return {
    observers,
    /** Called once, when the service has been built. */
    measure(state: Measured) {
      const { auditQueue, deadlocks, settingsCache, secondsSincePoll, indexAges, isDraining, eventAge } = state;
      if (eventAge !== undefined)
        gauge(
          'dashboard_events_age_seconds',
          'Seconds since a request to the listener for events was stored, or since the start.',
          eventAge,
        );
      gauge('dashboard_draining', '1 while the service shuts down.', () => Number(isDraining()));
      gauge('dashboard_http_requests_in_flight', 'Requests without the end of a response.', state.requestsInFlight);
      gauge('dashboard_audit_queue_waiting', 'Audit records waiting for the database.', () => auditQueue().waiting);
      gauge('dashboard_audit_queue_failing', '1 if the last write of audit records failed.', () =>
        Number(auditQueue().failing),
      );
      total('dashboard_audit_records_dropped_total', 'Audit records that were lost.', () => auditQueue().dropped);
      total(
        'dashboard_transactions_retried_total',
        'Transactions run again after a deadlock.',
        () => deadlocks.retried,
      );
      total(
        'dashboard_transactions_given_up_total',
        'Transactions that failed because of deadlocks.',
        () => deadlocks.givenUp,
      );
      total('dashboard_settings_cache_hits_total', 'Settings read from the cache.', () => settingsCache().hits);
      total('dashboard_settings_cache_misses_total', 'Settings read from the database.', () => settingsCache().misses);
      gauge(
        'dashboard_change_poll_age_seconds',
        'Seconds since revocations and settings of other processes were last read.',
        secondsSincePoll,
      );
      new Gauge({
        name: 'dashboard_index_age_seconds',
        help: 'Seconds since the last full sync of a list for the index began.',
        labelNames: ['list'],
        registers,
        collect() {
          this.reset();
          for (const [list, age] of Object.entries(indexAges())) if (age !== undefined) this.labels(list).set(age);
        },
      });
    },
    contentType: registry.contentType,
    /** Prometheus' text format. */
    page: () => registry.metrics(),
  };
}
