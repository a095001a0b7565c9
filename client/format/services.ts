import type { ServiceName, ServiceProblem, ServiceState } from '../../shared/services.ts';

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
  unreachable: 'not reachable',
  slow: 'slow',
  refuses_key: 'rejects the key',
  key_unreadable: 'key cannot be decrypted',
  too_many_requests: 'too many requests',
  failing: 'failing',
  nonsense: 'not the service expected',
};

const STATES: Record<ServiceState['status'], string> = {
  up: 'Up',
  degraded: 'Degraded',
  down: 'Down',
  not_configured: 'Not configured',
};

/** The state next to a service's name: `Up, 12 ms`, `Degraded, slow, 1,204 ms`, `Down, not reachable`. */
export function formatState({ status, problem, latency_ms }: ServiceState): string {
  const state = STATES[status] ?? status;
  if (status === 'not_configured') return state;
  const time = latency_ms === null ? undefined : `${latency_ms.toLocaleString('en')} ms`;
  return [state, problem === null ? undefined : PROBLEMS[problem], time].filter(Boolean).join(', ');
}

/** Whether it is not up, and it is known since when. */
export const isAiling = (service: ServiceState): service is ServiceState & { since: string } =>
  service.since !== null && (service.status === 'down' || service.status === 'degraded');

/** `All 7 configured services are up.`, `2 of 7 configured services are not up: Database, OAuth 2.0.` */
export function formatServices(services: readonly ServiceState[]): string {
  const configured = services.filter(({ status }) => status !== 'not_configured');
  const ailing = configured.filter(({ status }) => status !== 'up');
  if (configured.length === 0) return 'No service is configured.';
  if (ailing.length === 0)
    return configured.length === 1
      ? 'The one configured service is up.'
      : `All ${configured.length} configured services are up.`;
  const names = ailing.map(({ name }) => SERVICE_NAMES[name] ?? name).join(', ');
  return `${ailing.length} of ${configured.length} configured services ${ailing.length === 1 ? 'is' : 'are'} not up: ${names}.`;
}

export const SERVICE_DOTS: Record<ServiceState['status'], 'good' | 'warning' | 'bad' | 'off'> = {
  up: 'good',
  degraded: 'warning',
  down: 'bad',
  not_configured: 'off',
};
