import { becomes } from '../support/becomes.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { isWatched, outage, sevenDaysOf } from '../support/questions.ts';

/** A check waits for its time-out, and the page reads what was found every half minute. */
const PATIENCE_MS = 120_000;

describe('an outage, in a browser', function () {
  this.timeout(400_000);
  const intercepted = interceptedDashboardOfSuite({
    service: 'OAUTH_ADMIN_URL',
    watchPace: { firstMs: 1, everyMs: 200 },
  });

  it('is reported from the overview on: since when, and what it affects; it goes by itself', () =>
    onPage(intercepted, '/dashboard', async ({ page, expect }) => {
      for (const status of [502, 504]) expect(status, /^\/api\//);
      await isWatched(intercepted.dashboard, intercepted.sessions.admin, { service: 'oauth-admin' });
      intercepted.upstream.before = () => 'silence';
      await outage(page)
        .getByText(/OAuth 2\.0 admin has been down since \d\d:\d\d, /)
        .waitFor({ timeout: PATIENCE_MS });
      await outage(page).getByText('OAuth2 clients, consents and tokens cannot be read.').waitFor();
      await page
        .getByRole('listitem')
        .filter({ hasText: 'OAuth 2.0 admin' })
        .getByText(/Down, slow, since \d\d:\d\d, /)
        .waitFor({ timeout: PATIENCE_MS });

      await outage(page).getByRole('link', { name: 'See System' }).click();
      await page.getByRole('heading', { level: 1, name: 'System' }).waitFor();
      const row = page.getByRole('row').filter({ hasText: 'OAuth 2.0 admin' });
      await row.getByText(/^since \d\d:\d\d, /).waitFor();
      const ofHydra = sevenDaysOf(page, 'OAuth 2.0 admin');
      await ofHydra.getByText(/^Once down, .*: now, since \d\d:\d\d\. First looked at/).waitFor();
      await sevenDaysOf(page, 'Database')
        .getByText(/^Up all the time\./)
        .waitFor();

      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'OAuth2 clients' }).click();
      await page
        .getByText(/Down since \d\d:\d\d, /)
        .first()
        .waitFor({ timeout: PATIENCE_MS });
      intercepted.upstream.calm();
      await outage(page).waitFor({ state: 'detached', timeout: PATIENCE_MS });
      await page.goBack();
      await becomes(
        () => ofHydra.innerText(),
        /Once down, .*: \d\d:\d\d for /,
        'the end is in the last seven days',
        PATIENCE_MS,
      );
    }));
});
