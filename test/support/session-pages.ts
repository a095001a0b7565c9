import assert from 'node:assert/strict';
import { type App, withApp } from './app-in-dom.tsx';
import { indexReady } from './dashboard.ts';
import type { FaultingUpstream, ReceivedRequest, StubResponse } from './faulting-upstream.ts';
import { listPage, sessionItem } from './faulting-upstream.ts';
import { startMappedDashboard } from './mapped-dashboard.ts';
import { ofSuite } from './of-suite.ts';

type Stored = Record<string, unknown> & {
  id: string;
  active: boolean;
  expires_at: string;
  identity: { id: string; traits: unknown; state: string };
};

export type StoredSessions = ReturnType<typeof storedSessions>;

/** Addresses in Oslo, in Bergen, elsewhere in Norway, and without a location. */
const ADDRESSES = ['203.0.113.7', '203.0.113.8:51234', '198.51.100.7', '192.0.2.5', '10.0.0.1:5123', null];

/** The sessions of an identity service; those with an even index are active. */
export function storedSessions(count: number) {
  const stored = {
    sessions: Array.from({ length: count }, (_, index) => {
      const at = new Date(Date.now() - (index + 1) * 60_000);
      const ip = ADDRESSES[index % ADDRESSES.length] ?? null;
      return sessionItem(index, { ip, at, active: index % 2 === 0 }) as Stored;
    }),
    /** How far an extension moves the expiry of a session, in milliseconds. */
    extendsByMs: 86_400_000,
    /** Responds to requests about sessions in place of the identity service. */
    response({ method, path }: ReceivedRequest): StubResponse | undefined {
      const { pathname, searchParams } = new URL(path, 'http://upstream');
      const expanded = (session: Stored) =>
        searchParams.has('expand')
          ? { ...session, active: session.active && session.identity.state !== 'inactive' }
          : { ...session, identity: null, devices: [] };
      const [, admin, kind, id, act] = pathname.split('/');
      if (admin !== 'admin') return undefined;
      if (kind === 'identities' && act === 'sessions' && method === 'DELETE') {
        stored.sessions = stored.sessions.filter(({ identity }) => identity.id !== id);
        return { status: 204 };
      }
      if (kind === 'identities' && id === undefined && searchParams.has('ids')) {
        const ids = searchParams.getAll('ids');
        return json(stored.sessions.map(({ identity }) => identity).filter((identity) => ids.includes(identity.id)));
      }
      if (kind !== 'sessions') return undefined;
      if (id === undefined) {
        const active = searchParams.get('active');
        return listPage(
          { method, path, body: '' },
          // As in Kratos, the filter ignores the state of the identity.
          stored.sessions.filter((session) => active === null || String(session.active) === active).map(expanded),
        );
      }
      const session = stored.sessions.find((candidate) => candidate.id === id);
      if (session === undefined) return json({ error: { code: 404, message: 'not there' } }, 404);
      if (method === 'DELETE') {
        session.active = false;
        return { status: 204 };
      }
      if (method === 'PATCH')
        session.expires_at = new Date(Date.parse(session.expires_at) + stored.extendsByMs).toISOString();
      return json(expanded(session));
    },
  };
  return stored;
}

const json = (body: unknown, status = 200): StubResponse => ({ status, body: JSON.stringify(body) });

/** The writes that have reached an upstream, as method and path. */
export const writesReceived = ({ requests }: FaultingUpstream): string[] =>
  requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);

/** For a suite: a dashboard with sessions, which are created anew for each page. */
export function sessionsOfSuite(make: () => StoredSessions) {
  const mapped = ofSuite(async () => ({ ...(await startMappedDashboard()), stored: make() }));
  const reset = (): void => {
    mapped.identityAdmin.reset();
    mapped.stored = make();
    mapped.identityAdmin.before = (request) => mapped.stored.response(request);
  };
  before(async () => {
    reset();
    // Until the index is ready, requests for the map fail, and the browser reports each failure.
    await indexReady(mapped.dashboard, mapped.sessions.admin);
  });

  return {
    mapped,
    sessionAt: (index: number) => mapped.stored.sessions[index] ?? assert.fail(`no session ${index}`),
    reset,
    /** Opens a page as an administrator in a simulated DOM. */
    open(path: string, work: (app: App) => Promise<void>): Promise<void> {
      reset();
      return withApp(mapped.dashboard.url, path, { session: mapped.sessions.admin }, work);
    },
  };
}
