import assert from 'node:assert/strict';
import type { LocatedSessions, SessionLocations } from '../../shared/session-locations.ts';
import { listedPage, listedSession } from './listed-pages.ts';
import { type MappedDashboard, startMappedDashboard } from './mapped-dashboard.ts';

const DAY_MS = 86_400_000;
const ago = (days: number): Date => new Date(Date.now() - days * DAY_MS);

export const PLACED = [
  listedSession(0, { at: ago(0.1) }),
  listedSession(1, { at: ago(2), ip: '203.0.113.9:51234' }),
  listedSession(2, { at: ago(5), ip: '[2001:db8::1]:5123' }),
  listedSession(3, { at: ago(8), ip: '2001:db8::2%eth0' }),
  listedSession(4, { at: ago(9), ip: '::ffff:198.51.100.7', active: false }),
  listedSession(5, { at: ago(20), ip: '192.0.2.7' }),
  listedSession(6, { at: ago(40), ip: '203.0.113.8', expires_at: ago(39).toISOString() }),
  listedSession(7, { at: ago(60), ip: '10.0.0.1' }),
  listedSession(8, { at: ago(61), ip: null }),
  listedSession(9, { at: ago(62), ip: 'unknown' }),
  { ...listedSession(10, { at: ago(63) }), devices: null, identity: null },
];

/** A dashboard whose store lists what a test gives it, and what it says about the sessions. */
export interface PlacedSessions {
  mapped: MappedDashboard;
  /** The store lists these sessions from now on. */
  list(items: Parameters<typeof listedPage>[1]): void;
  call(path: string, session?: string): Promise<Response>;
  locations(query?: string): Promise<SessionLocations>;
  located(query: string): Promise<LocatedSessions>;
}

/** Started before the suite, and again before each test. */
export function placedSessionsOfSuite(): PlacedSessions {
  const own: PlacedSessions = {
    mapped: undefined as unknown as MappedDashboard,
    list(items) {
      const known = Array.isArray(items) ? items : Array.from({ length: items.length }, (_, index) => items.at(index));
      own.mapped.identityAdmin.before = (seen) => {
        const id = /^\/admin\/sessions\/([\da-f-]+)/.exec(seen.path)?.[1];
        if (id === undefined) return seen.path.startsWith('/admin/sessions') ? listedPage(seen, known) : undefined;
        const session = known.find((one) => (one as { id: string }).id === id);
        if (session === undefined) return { status: 404, body: '{"error":{"code":404}}' };
        return { status: 200, body: JSON.stringify(session) };
      };
    },
    call: (path, session = own.mapped.sessions.viewer) => own.mapped.dashboard.call(path, { session }),
    async locations(query = '') {
      const answer = await own.call(`/api/session-locations${query}`);
      assert.equal(answer.status, 200);
      return (await answer.json()) as SessionLocations;
    },
    async located(query) {
      const answer = await own.call(`/api/security/sessions${query}`, own.mapped.sessions.admin);
      assert.equal(answer.status, 200, await answer.clone().text());
      return (await answer.json()) as LocatedSessions;
    },
  };
  before(async () => {
    own.mapped = await startMappedDashboard();
  });
  beforeEach(() => own.mapped.restart());
  after(() => own.mapped.close());
  return own;
}
