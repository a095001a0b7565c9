import assert from 'node:assert/strict';
import { needsChromium, type Visit } from './browser.ts';
import { signedInVisit } from './browser-sign-in.ts';
import type { Looks } from './intercepted-dashboard.ts';
import { type MappedDashboard, startMappedDashboard } from './mapped-dashboard.ts';
import { type StoredSessions, storedSessions } from './session-pages.ts';

/** For a suite: a dashboard in front of 60 sessions, which every visit finds as they were at the beginning. */
export function sessionVisitsOfSuite() {
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
      mapped.stored = storedSessions(60);
      mapped.identityAdmin.before = (request) => mapped.stored.answer(request);
      return signedInVisit(mapped.dashboard, mapped.sessions[role], { path, heading, ...looks }, work);
    },
  };
}
