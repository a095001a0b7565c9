import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { activeOf, consentClient, consentTo, listedConsent } from '../support/consents.ts';
import type { GivenAnswer, SeenRequest } from '../support/faulting-upstream.ts';
import { interceptedDashboardOfSuite, type Looks, onPage } from '../support/intercepted-dashboard.ts';

const CONSENTS = '/admin/oauth2/auth/sessions/consent';
const LOGIN = '/admin/oauth2/auth/sessions/login';

describe('the consents of a subject, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ service: 'OAUTH_ADMIN_URL', env: { PROXY_TIMEOUT_MS: '1000' } });
  let subject: string;
  let [shop, forum] = ['', ''];
  /** A token of each sign-in to the shop, oldest first. */
  const tokens: string[] = [];
  before(async () => {
    [shop, forum] = [await consentClient(intercepted, 'Shop'), await consentClient(intercepted, 'Forum')];
    for (const client of [shop, shop, shop, forum]) {
      const given = await consentTo(intercepted, client, 'viewer');
      subject = given.subject;
      tokens.push(given.access);
    }
  });
  const onConsents = (search: object, work: (visit: Visit) => Promise<void>, looks: Looks = {}): Promise<void> =>
    onPage(intercepted, `/oauth/consents?${new URLSearchParams({ ...search })}`, work, {
      heading: 'Consents',
      ...looks,
    });
  const group = (page: Page, name: string) => page.getByRole('region', { name });
  const deleted = (): string[] =>
    intercepted.upstream.seen.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
  const answering = (given: (request: SeenRequest) => GivenAnswer | undefined): void => {
    intercepted.upstream.before = (request) => (request.path.startsWith(CONSENTS) ? given(request) : undefined);
  };
  const list = (...consents: object[]): GivenAnswer => ({ status: 200, body: JSON.stringify(consents) });

  it(`are shown by client, the latest first, in all colours and widths`, () =>
    onConsents({ subject }, async ({ page }) => {
      await page.getByText(/^\d+ consents to 3 clients, latest first$/).waitFor();
      const names = await page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents();
      assert.deepEqual(names, ['Forum', 'Shop', 'Dashboard']);
      await becomes(() => group(page, 'Shop').getByRole('listitem').count(), 3);
      await group(page, 'Shop').getByText('openid, offline_access, email').first().waitFor();
      assert.ok(!(await page.content()).includes(intercepted.dashboard.operator('viewer').email), 'no claims');
      await assertAccessibleInAllLooks(page, 'the consents');
    }));

  it('are found by keys alone, narrowed down by the address, and looked for elsewhere where there are none', () =>
    onConsents({}, async ({ page }) => {
      await page.getByText('Whose consents?').waitFor();
      await becomes(() => intercepted.upstream.seen, [], 'without a subject there is nothing to ask');
      await page.keyboard.press('/');
      await page.keyboard.type(` ${subject} `);
      await page.keyboard.press('Enter');
      await group(page, 'Forum').waitFor();
      await becomes(() => new URL(page.url()).search, `?subject=${subject}`);
      await page.goto(`${intercepted.dashboard.baseUrl}/oauth/consents?subject=${subject}&client=${shop}`);
      await page.getByText('3 consents to 1 client, latest first').waitFor();
      await page.getByRole('link', { name: 'Show all clients' }).press('Enter');
      await group(page, 'Forum').waitFor();
      await page.getByLabel('Subject', { exact: true }).fill('somebody@example.org');
      await page.keyboard.press('Enter');
      await page.getByText('Nothing is granted under this subject').waitFor();
      await assertAccessibleInAllLooks(page, 'a subject without consents');
      await page.getByRole('button', { name: 'Find the identity that signs in with it' }).click();
      await page.getByRole('heading', { level: 1, name: 'Identities' }).waitFor();
      await becomes(() => new URL(page.url()).search, '?q=somebody%40example.org');
    }));

  it('end one by one, each with its own tokens alone, and the focus stays in the list', () =>
    onConsents({ subject }, async ({ page }) => {
      await becomes(() => activeOf(intercepted, tokens), [true, true, true, true]);
      await group(page, 'Shop')
        .getByRole('button', { name: /^Revoke the consent of/ })
        .last()
        .press('Enter');
      const dialog = page.getByRole('dialog', { name: /^Revoke the consent to Shop of/ });
      await dialog.getByText('The tokens issued under this consent end at once').waitFor();
      await assertAccessibleInAllLooks(page, 'the question before a revocation');
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('1 consent is revoked, and the tokens have ended').waitFor();
      await dialog.waitFor({ state: 'detached' });
      await becomes(() => group(page, 'Shop').getByRole('listitem').count(), 2);
      await becomes(() => activeOf(intercepted, tokens), [false, true, true, true]);
      await page.waitForFunction(() => document.activeElement?.closest('main') != null);
      await becomes(() => deleted().join(), /^\/admin\/oauth2\/auth\/sessions\/consent\?consent_request_id=[^&]+$/);
    }));

  it('end for one client, and not when the server only says so', () =>
    onConsents({ subject }, async ({ page }) => {
      answering(({ method }) => (method === 'DELETE' ? { status: 204 } : undefined));
      await group(page, 'Shop').getByRole('button', { name: 'Revoke these 2…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Revoke all consents to Shop?' });
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await dialog.getByText('accepted the request, but 2 consents are still there').waitFor();
      intercepted.upstream.calm();
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('2 consents are revoked, and the tokens have ended').waitFor();
      await group(page, 'Shop').waitFor({ state: 'detached' });
      await group(page, 'Forum').waitFor();
      await becomes(() => deleted(), [`${CONSENTS}?subject=${subject}&client=${shop}`]);
      await becomes(() => activeOf(intercepted, tokens), [false, false, false, true]);
    }));

  it('end all together, and login sessions with a call of their own, which waits for a slow server', () =>
    onConsents({ subject }, async ({ page, expect }) => {
      expect(504, `/api/oauth-admin${LOGIN}`);
      await page.getByRole('button', { name: 'Revoke all…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('Nothing is granted under this subject').waitFor();
      await becomes(() => activeOf(intercepted, tokens), [false, false, false, false]);
      intercepted.upstream.before = ({ path }) => (path.startsWith(LOGIN) ? 'silence' : undefined);
      await page.getByRole('button', { name: 'End login sessions…' }).click();
      const dialog = page.getByRole('dialog', { name: `End the login sessions of ${subject}` });
      await dialog.getByText('Consents and tokens remain').waitFor();
      await dialog.getByRole('button', { name: 'End login sessions' }).click();
      await dialog.getByRole('alert').waitFor();
      intercepted.upstream.calm();
      await dialog.getByRole('button', { name: 'End login sessions' }).click();
      await page.getByText('are ended, if there were any').waitFor();
      await becomes(() => deleted(), [`${LOGIN}?subject=${subject}`]);
      await page.waitForFunction(() => document.activeElement?.textContent === 'End login sessions…');
    }));

  it('stand on the page of the identity whose id is the subject', () =>
    onPage(intercepted, `/identities/${subject}`, async ({ page }) => {
      answering(() => list(listedConsent('c', { name: 'Only one' })));
      await page.reload();
      const tab = page.getByRole('main').getByRole('link', { name: 'Consents', exact: true });
      // The tab says how many there are before it is opened.
      await becomes(() => tab.innerText(), 'Consents1');
      await tab.press('Enter');
      await group(page, 'Only one').waitFor();
      await page.getByText('with this identity’s id as the OAuth subject').waitFor();
      const asked = intercepted.upstream.seen.filter(({ path }) => path.startsWith(CONSENTS)).map(({ path }) => path);
      assert.deepEqual([...new Set(asked)], [`${CONSENTS}?subject=${subject}&page_size=500`]);
      await page.getByRole('button', { name: 'Revoke all…' }).click();
      await page.getByRole('dialog', { name: /^Revoke all consents of .+@/ }).waitFor();
      await assertAccessibleInAllLooks(page, 'the consents of an identity');
    }));

  it('say that there are more than were given at once, and in what order', () =>
    onConsents({ subject: 'many' }, async ({ page, context }) => {
      await context.route(`**${CONSENTS}?**`, (route) => {
        const second = new URL(route.request().url()).searchParams.get('page_token') === 'second';
        const consents = Array.from({ length: second ? 1 : 7 }, (_, n) =>
          listedConsent(`${second} ${n}`, { at: `2026-0${second ? 9 : n + 1}-01T00:00:00Z` }),
        );
        return route.fulfill({
          headers: second ? {} : { Link: `<${CONSENTS}?page_token=second&subject=many>; rel="next"` },
          json: consents,
        });
      });
      await page.reload();
      await page.getByText('7 consents to 1 client loaded so far, latest first').waitFor();
      await page.getByText('more recent ones may be among those not loaded yet').waitFor();
      await becomes(() => group(page, 'App').getByRole('listitem').count(), 5);
      await page.getByRole('button', { name: 'Load more' }).click();
      await page.getByText('8 consents to 1 client, latest first').waitFor();
      const older = page.getByRole('button', { name: 'Show 3 older' });
      await older.press('Enter');
      const times = await group(page, 'App')
        .locator('time')
        .evaluateAll((all) => all.map((time) => (time as HTMLTimeElement).dateTime));
      assert.deepEqual(times, times.toSorted().toReversed());
      assert.equal(times.length, 8);
      await becomes(() => page.evaluate(() => document.activeElement?.textContent), 'Show the latest only');
    }));

  it('do not reverse text or widen the page, whatever they contain', () =>
    onConsents(
      { subject: 'somebody' },
      async ({ page }) => {
        const long = 'x'.repeat(200);
        answering(() =>
          list(
            listedConsent(`${long}`, {
              client: `https://${long}/`,
              name: `Shop\u202egnp.exe ${long}`,
              scopes: [long, 'a\u202eb'],
            }),
            { consent_request_id: 'bare', handled_at: 7, grant_scope: 'openid' },
          ),
        );
        await page.reload();
        await page.getByRole('heading', { level: 2, name: 'U+202E' }).waitFor();
        await page.getByRole('heading', { level: 2, name: 'a client without a name' }).waitFor();
        await page.getByRole('button', { name: 'Revoke the consent of an unknown time' }).click();
        await page.getByRole('dialog').waitFor();
        assert.equal(await page.evaluate(() => document.body.innerText.includes('\u202e')), false);
        await becomes(() => page.evaluate(() => document.documentElement.scrollWidth), 360);
      },
      { viewport: { width: 360, height: 800 } },
    ));

  it('are shown as failed with a retry when the server fails, is silent, or answers nonsense', () =>
    onConsents({ subject: 'somebody' }, async ({ page, expect }) => {
      expect(500, `/api/oauth-admin${CONSENTS}`);
      expect(504, `/api/oauth-admin${CONSENTS}`);
      for (const [answer, shown] of [
        [{ status: 500, body: '{"error":"at 10.0.0.1:4445"}' }, /Request [\w-]+/],
        ['silence', /Request [\w-]+/],
        [{ status: 200, body: '[{"id":1}]' }, /not a list of consents/],
      ] as const) {
        answering(() => answer);
        await page.reload();
        const alert = page.getByRole('alert').filter({ hasText: shown });
        await alert.waitFor();
        assert.equal(await page.getByText('10.0.0.1').count(), 0);
        assert.equal(await page.getByText('Nothing is granted').count(), 0);
        answering(() => list(listedConsent('c')));
        await alert.getByRole('button', { name: 'Try again' }).click();
        await group(page, 'App').waitFor();
        await alert.waitFor({ state: 'detached' });
      }
    }));

  it('are closed to a viewer, who is told why, without a request', () =>
    onConsents(
      { subject },
      async ({ page }) => {
        await page.getByText('Admin access required.').waitFor();
        assert.equal(await page.getByLabel('Subject').count(), 0);
        await becomes(() => intercepted.upstream.seen, []);
      },
      { role: 'viewer' },
    ));

  it('are reached from a client, which cannot list them itself, and from the palette', () =>
    onPage(intercepted, `/oauth/clients/${forum}`, async ({ page }) => {
      await page.getByRole('link', { name: 'Look up a person’s consents' }).click();
      await page.getByText('Whose consents to this client?').waitFor();
      await page.getByLabel('Subject', { exact: true }).fill('somebody');
      await page.keyboard.press('Enter');
      await page.getByText('Nothing is granted under this subject').waitFor();
      await becomes(() => new URL(page.url()).search, `?subject=somebody&client=${forum}`);
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Page or action').fill('another');
      await page.getByText('Find consents of subject: another').click();
      await page.waitForURL('**/oauth/consents?subject=another');
    }));
});
