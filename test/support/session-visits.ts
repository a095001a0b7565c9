import assert from 'node:assert/strict';
import { needsChromium, type Visit } from './browser.ts';
import { signedInVisit } from './browser-sign-in.ts';
import type { Looks } from './intercepted-dashboard.ts';
import { type MappedDashboard, startMappedDashboard } from './mapped-dashboard.ts';
import { type StoredSessions, storedSessions } from './session-pages.ts';

/**
 * For a suite: a dashboard in front of sessions, which every visit finds as they were at the beginning.
 * @param make 60 of them without it
 */
export function sessionVisitsOfSuite(make = (): StoredSessions => storedSessions(60)) {
  const mapped = {} as MappedDashboard & { stored: StoredSessions };
  before(async function () {
    needsChromium(this);
    Object.assign(mapped, await startMappedDashboard());
  });
  after(() => mapped.close?.());

  return {
    mapped,
    sessionAt: (index: number) => mapped.stored.sessions[index] ?? assert.fail(`no session ${index}`),
    visit(
      path: string,
      work: (visit: Visit) => Promise<void>,
      { role = 'admin', heading = 'Sessions', ...looks }: Looks = {},
    ): Promise<void> {
      mapped.identityAdmin.calm();
      mapped.stored = make();
      mapped.identityAdmin.before = (request) => mapped.stored.answer(request);
      return signedInVisit(mapped.dashboard, mapped.sessions[role], { path, heading, ...looks }, work);
    },
  };
}
