import type { ServiceChange, ServiceHistory, ServiceState, Services } from '../../shared/services.ts';
import { UPSTREAM_NAMES } from '../../shared/upstreams.ts';
import { component, count, flag, listOf, objectOf, oneOf, orNull, type Schema, text, time } from './route.ts';

const SERVICE_NAMES = [...UPSTREAM_NAMES, 'operators', 'database', 'geo'];
const STATUSES = ['up', 'down', 'degraded', 'not_configured'];
const PROBLEMS = [
  'unreachable',
  'certificate',
  'slow',
  'refuses_key',
  'key_unreadable',
  'too_many_requests',
  'failing',
  'nonsense',
];

/** The states of the services behind the dashboard. */
export const SERVICE_SCHEMAS: Readonly<Record<string, Schema>> = {
  Service: objectOf<ServiceState>(
    {
      name: oneOf(SERVICE_NAMES),
      status: oneOf(STATUSES),
      version: orNull(text),
      latency_ms: orNull(count),
      checked_at: time,
      problem: orNull(oneOf(PROBLEMS)),
      code: text,
      since: orNull(time),
    },
    ['code'],
  ),
  ServiceHistory: objectOf<ServiceHistory>({
    name: oneOf(SERVICE_NAMES),
    changes: listOf(
      objectOf<ServiceChange>({
        status: oneOf(STATUSES),
        problem: orNull(oneOf(PROBLEMS)),
        at: time,
        one_replica: flag,
      }),
    ),
  }),
  Services: objectOf<Services>({ services: listOf(component('Service')) }),
};
