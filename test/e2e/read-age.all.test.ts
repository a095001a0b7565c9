import assert from 'node:assert/strict';
import type { AuditPage } from '../../shared/audit.ts';
import { becomes } from '../support/becomes.ts';
import { indexIsRead } from '../support/index-is-read.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

describe('the age of a list, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ people: 30 });
  before(() => indexIsRead(intercepted.dashboard, intercepted.sessions.admin));
  async function recorded(): Promise<number> {
    const { dashboard, sessions } = intercepted;
    const answer = await dashboard.call('/api/security/audit?page_size=1', { session: sessions.admin });
    return ((await answer.json()) as AuditPage).events[0]?.sequence ?? 0;
  }

  it('is shown where nothing is asked by itself, and becomes none on request', async () => {
    for (const [path, heading] of [
      ['/identities', 'Identities'],
      ['/oauth/clients', 'Clients'],
    ] as const)
      await onPage(
        intercepted,
        '/settings',
        async ({ page }) => {
          await page.clock.install();
          await page.goto(`${intercepted.dashboard.baseUrl}${path}`);
          await page.getByRole('heading', { level: 1, name: heading }).waitFor();
          await page.getByText('read just now').waitFor();
          const before = await recorded();
          await page.clock.runFor(125_000);
          await page.getByText('read 2 min ago').waitFor();
          assert.equal(await recorded(), before, 'it asked by itself');
          await page.getByRole('button', { name: 'Read again' }).press('Enter');
          await page.getByText('read just now').waitFor();
          await becomes(() => page.locator(':focus').getAttribute('aria-label'), 'Read again');
          await page.clock.runFor(60_000);
          await page.getByText('read 1 min ago').waitFor();
          await page.keyboard.press('r');
          await page.getByText('read just now').waitFor();
        },
        { heading: 'Settings' },
      );
  });
});
