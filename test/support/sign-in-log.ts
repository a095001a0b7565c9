import type { ClientUsagePage, SignInCoverage, SignInEvent } from '../../shared/sign-ins.ts';
import type { App } from './app-in-dom.tsx';

export const PERSON_ID = '7a0c1c1e-3c4f-4c8e-9a55-1c2b3d4e5f60';

/** A wrong password, unless changed. */
export const signInEvent = (at: string, over: Partial<SignInEvent> = {}): SignInEvent => ({
  id: `${at}/${over.event}`,
  at,
  event: 'LoginFailed',
  service: 'kratos-customer',
  identity_id: PERSON_ID,
  session_id: null,
  client_id: null,
  method: 'password',
  provider: null,
  reason: 'invalid_credentials',
  ip: '203.0.113.9',
  country: 'DE',
  place: 'Berlin, Germany',
  device: 'Chrome on macOS',
  count: 1,
  ...over,
});

/** Both services have reported from `since` until now. */
export function coverageSince(since: string | null, over: Partial<SignInCoverage> = {}): SignInCoverage {
  const source = { since: since ?? '', last_at: new Date().toISOString(), last_event_at: null, unfiltered: true };
  const sources = [
    { ...source, service: 'kratos-customer', api: 'identity' as const },
    { ...source, service: 'hydra', api: 'oauth' as const },
  ];
  return { since, sign_ins_since: since, kept_days: 30, sources: since === null ? [] : sources, gaps: [], ...over };
}

/** Responds in place of the routes of the sign-in log. */
export const respondWithLog =
  (log: {
    events?: SignInEvent[];
    /** Succeeded before all `events`, on a page that only a filter finds. */
    older?: SignInEvent[];
    coverage: SignInCoverage;
    usage?: ClientUsagePage;
  }): App['respond'] =>
  ({ path }) => {
    if (path.startsWith('/api/security/sign-ins/coverage')) return Response.json(log.coverage);
    if (path.includes('outcome=succeeded'))
      return Response.json({ events: log.older, next_page_token: null, has_more: false });
    if (path.startsWith('/api/security/sign-ins'))
      return Response.json({ events: log.events ?? [], next_page_token: 'older', has_more: log.older !== undefined });
    return path.startsWith('/api/oauth-clients/usage') ? Response.json(log.usage) : undefined;
  };
