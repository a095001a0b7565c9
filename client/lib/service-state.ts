import type { ServiceName, ServiceProblem, ServiceState } from '../../shared/services.ts';
import { digits } from './format-count.ts';
import { clockTime, inWords, lasting } from './format-time.ts';
import { capitalised } from './visible-text.ts';

export const SERVICE_NAMES: Record<ServiceName, string> = {
  identity: 'Identity',
  'identity-admin': 'Identity admin',
  'iam-identity': 'Workforce identity',
  'iam-identity-admin': 'Workforce identity admin',
  oauth: 'OAuth 2.0',
  'oauth-admin': 'OAuth 2.0 admin',
  operators: 'Operators’ store',
  database: 'Database',
  geo: 'Geolocation',
};

const PROBLEMS: Record<ServiceProblem, string> = {
  unreachable: 'unreachable',
  certificate: 'certificate refused',
  slow: 'slow',
  refuses_key: 'rejects the key',
  key_unreadable: 'key cannot be used',
  too_many_requests: 'too many requests',
  failing: 'failing',
  nonsense: 'unexpected service',
};

export const STATES: Record<ServiceState['status'], string> = {
  up: 'Up',
  degraded: 'Degraded',
  down: 'Down',
  not_configured: 'Not configured',
};

/** The state next to a service's name: `Up, 12 ms`, `Degraded, slow, 1,204 ms`, `Down, unreachable`. */
export function formatState({ status, problem, latency_ms }: ServiceState): string {
  const time = latency_ms === null ? undefined : `${latency_ms.toLocaleString('en')} ms`;
  return [STATES[status], problem === null ? undefined : PROBLEMS[problem], time].filter(Boolean).join(', ');
}

/** Whether a configured service is not up, or is up but slow. */
export const hasProblem = ({ status, problem }: ServiceState): boolean =>
  status !== 'not_configured' && (status !== 'up' || problem !== null);

/** The problem of a service: `Down since 10:02`, `Slow, 1,204 ms`. @param now by the server's clock */
export function formatServiceProblem({ status, problem, latency_ms, since }: ServiceState, now: number): string {
  const words = (status !== 'down' && problem !== null && PROBLEMS[problem]) || STATES[status] || status;
  const time = problem === 'slow' && latency_ms !== null ? `, ${digits(latency_ms)} ms` : '';
  const began = since === null || status === 'up' ? '' : ` since ${clockTime(Date.parse(since), now)}`;
  return `${capitalised(words)}${time}${began}`;
}

/** `All 7 services are up`, `2 of 7 services are not up: Database, OAuth 2.0`. Counts configured services only. */
export function formatServices(services: readonly ServiceState[]): string {
  const configured = services.filter(({ status }) => status !== 'not_configured');
  const notUp = configured.filter(({ status }) => status !== 'up');
  if (configured.length === 0) return 'No service is configured';
  if (notUp.length === 0)
    return configured.length === 1 ? 'The one configured service is up' : `All ${configured.length} services are up`;
  const names = notUp.map(({ name }) => SERVICE_NAMES[name] ?? name).join(', ');
  return `${notUp.length} of ${configured.length} services ${notUp.length === 1 ? 'is' : 'are'} not up: ${names}`;
}

const DOTS: Record<ServiceState['status'], 'good' | 'warning' | 'bad' | 'off'> = {
  up: 'good',
  degraded: 'warning',
  down: 'bad',
  not_configured: 'off',
};

/** The mark beside a service's state. A service may be up and slow. */
export const dotOf = ({ status, problem }: ServiceState) =>
  status === 'up' && problem !== null ? 'warning' : DOTS[status];

/** Consequences of an outage for each service, most severe first. */
const CONSEQUENCES: Record<ServiceName, string> = {
  database: 'Settings, the audit trail and sign-in do not work.',
  operators: 'Nobody can sign in to this dashboard; current sessions continue.',
  'identity-admin': 'Identities, sessions and messages cannot be read.',
  'iam-identity-admin': 'The workforce’s identities, sessions and messages cannot be read.',
  oauth: 'Nobody can sign in to applications.',
  'oauth-admin': 'Clients, consents and tokens cannot be read.',
  identity: 'People cannot sign in, register or recover their accounts.',
  'iam-identity': 'The workforce cannot sign in or recover accounts.',
  geo: 'The map and the locations of sessions are empty.',
};
const ORDER = Object.keys(CONSEQUENCES);
/** A longer list names this many services and counts the rest. */
const NAMED_MAX = 3;

/**
 * Describes an outage; undefined without one. `what` is `OAuth 2.0 and OAuth 2.0 admin have been down since 10:02`;
 * `lasting` is `four minutes`, if the start is known; `consequences` are sentences.
 * @param now milliseconds since the epoch, by the server's clock
 */
export function formatOutage(services: readonly ServiceState[], now: number) {
  const down = services
    .filter(({ status }) => status === 'down')
    .sort((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name));
  if (down.length === 0) return undefined;
  const named = down.slice(0, NAMED_MAX);
  const names = named.map(({ name }) => SERVICE_NAMES[name] ?? name);
  if (down.length > NAMED_MAX) names.push(`${inWords(down.length - NAMED_MAX)} more`);
  const last = names.length > 1 ? ` and ${names.pop()}` : '';
  const [first] = down.flatMap(({ since }) => since ?? []).sort();
  const began = first && Date.parse(first);
  const [are, have] = down.length === 1 ? ['is', 'has'] : ['are', 'have'];
  return {
    what: `${names.join(', ')}${last} ${began ? `${have} been down since ${clockTime(began, now)}` : `${are} down`}`,
    lasting: began ? lasting(now - began) : undefined,
    consequences: named.flatMap(({ name }) => CONSEQUENCES[name] ?? []).join(' '),
  };
}
