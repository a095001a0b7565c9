import type { SessionLocations } from '../../shared/session-locations.ts';
import { becomes } from '../support/becomes.ts';
import { needsChromium } from '../support/browser.ts';
import { signedInVisit } from '../support/browser-sign-in.ts';
import { READING_MS } from '../support/index-is-read.ts';
import { type MappedDashboard, startMappedDashboard } from '../support/mapped-dashboard.ts';
import { filter, storedSessions } from '../support/session-pages.ts';

describe('the sessions of which not all were looked at, in a browser', () => {
  let mapped: MappedDashboard;
  before(async function () {
    needsChromium(this);
    mapped = await startMappedDashboard();
  });
  after(() => mapped?.close());

  it('are shown as a partial count, on the map and next to it', async function () {
    this.timeout(READING_MS + 30_000);
    const stored = storedSessions(60);
    mapped.identityAdmin.before = (request) =>
      request.path.includes('page_token=50') ? { status: 500 } : stored.answer(request);
    const read = async (): Promise<unknown> => {
      const answer = await mapped.dashboard.call('/api/session-locations', { session: mapped.sessions.admin });
      return ((await answer.json()) as Partial<SessionLocations>).sessions;
    };
    await becomes(read, 50, 'the index', READING_MS);
    const visit = { path: '/sessions', heading: 'Sessions' };
    await signedInVisit(mapped.dashboard, mapped.sessions.admin, visit, async ({ page }) => {
      const map = page.getByRole('complementary', { name: 'Where the sessions are' });
      await map.getByText(/^of the latest 50 sessions, /).waitFor();
      await map.getByText(/^at least \d places$/).waitFor();
      await map.getByRole('button', { name: 'Unknown location: at least 16 sessions' }).waitFor();
      await filter(page, 'Place', 'Bergen, Norway (at least 8)');
      await map.getByText('Bergen, Norway: at least 8 sessions').waitFor();
      await page.getByText('8 sessions match').waitFor();
      await page.getByText(/^, counted .*, not all have been read$/).waitFor();
    });
  });
});
