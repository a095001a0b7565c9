import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessible } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { submitCredentials } from '../support/browser-sign-in.ts';
import { ada, editing, PASSWORD, person, save, stored } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

describe('a session that ended under an open page, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ people: 30, env: { PROXY_REQUIRE_SESSION: 'true' } });
  const banner = (page: Page) => page.getByRole('alert').filter({ hasText: 'You are signed out' });
  const end = ({ context, expect }: Visit): Promise<void> => {
    expect(401, /^\/api\//);
    return context.clearCookies({ name: 'dashboard-session' });
  };

  it('no longer saves anything: the app’s own calls need the session', async () => {
    const identity = await ada(intercepted);
    await editing(intercepted, identity, async (visit) => {
      const { page } = visit;
      await page.getByLabel('First name').fill('Grace');
      await end(visit);
      await save(page);
      await banner(page).waitFor();
      await becomes(() => intercepted.upstream.seen.filter(({ method }) => method !== 'GET'), []);
      const { traits } = (await (await stored(intercepted, identity.id)).json()) as { traits: { name: object } };
      assert.deepEqual(traits.name, { first: 'Ada', last: 'Old' });
    });
  });

  it('says so at the button that was pressed, and once at the top, in sight also far down the page', async () => {
    const identity = await ada(intercepted);
    await editing(
      intercepted,
      identity,
      async (visit) => {
        const { page } = visit;
        await page.getByLabel('First name').fill('Grace');
        await end(visit);
        await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
        await save(page);
        await banner(page).waitFor();
        await becomes(() => banner(page).count(), 1);
        const box = await banner(page).boundingBox();
        assert.ok(box !== null && box.y >= 0 && box.y + box.height <= 500, JSON.stringify(box));
        const note = page.locator('form').getByText('Not saved: your session has ended.');
        await note.waitFor();
        const [noted, button] = [
          await note.boundingBox(),
          await page.getByRole('button', { name: 'Save' }).boundingBox(),
        ];
        assert.ok(noted && button && Math.abs(noted.y - button.y) < 160, JSON.stringify([noted, button]));
        await becomes(() => page.getByLabel('First name').inputValue(), 'Grace');
        await assertAccessible(page, 'a page whose session has ended');
      },
      { viewport: { width: 1280, height: 500 } },
    );
  });

  it('says so once on a list whose next page is asked for, which stays on the page that it shows', () =>
    onPage(intercepted, '/identities', async (visit) => {
      const { page } = visit;
      await page.getByText('Page 1, rows 1–25').waitFor();
      await end(visit);
      const next = page.getByRole('button', { name: 'Next page' });
      await next.click();
      await banner(page).waitFor();
      await becomes(() => next.getAttribute('aria-disabled'), 'false');
      await page.getByText('Page 1, rows 1–25').waitFor();
      await becomes(() => page.getByRole('alert').count(), 1);
      await becomes(() => page.getByText('session has ended').count(), 1);
    }));

  it('says so once on a page whose parts cannot be read, with a quiet note in place of each', () =>
    onPage(intercepted, '/system', async (visit) => {
      const { page } = visit;
      await end(visit);
      await page.getByRole('link', { name: 'Messages', exact: true }).click();
      await banner(page).waitFor();
      await page.getByText('Not loaded: your session has ended.').waitFor();
      await becomes(() => page.getByRole('alert').count(), 1);
    }));

  it('goes on where it was after a sign-in in another tab', async () => {
    const identity = await ada(intercepted);
    await editing(intercepted, identity, async (visit) => {
      const { page, context } = visit;
      await page.getByLabel('First name').fill('Grace');
      await end(visit);
      await save(page);
      await banner(page).waitFor();
      const opened = context.waitForEvent('page');
      await banner(page).getByRole('link', { name: 'Sign in in a new tab' }).click();
      const tab = await opened;
      await submitCredentials(tab, intercepted.dashboard.operator('admin'));
      await tab.getByRole('heading', { name: 'Overview' }).waitFor();
      await tab.close();
      await page.evaluate(() => dispatchEvent(new Event('focus')));
      await banner(page).waitFor({ state: 'detached' });
      await save(page);
      await page.getByRole('heading', { level: 1, name: 'Grace Old' }).waitFor();
    });
  });

  it('says so within the dialog that asked, which stays open', async () => {
    const somebody = await person(intercepted);
    await onPage(
      intercepted,
      `/identities/${somebody.id}`,
      async (visit) => {
        const { page } = visit;
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: /^Deactivate/ }).click();
        await end(visit);
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('button', { name: 'Deactivate' }).click();
        await dialog.getByText('your session has ended').waitFor();
        await dialog.getByRole('link', { name: 'Sign in in a new tab' }).waitFor();
        const { state } = (await (await stored(intercepted, somebody.id)).json()) as { state: string };
        assert.equal(state, 'active');
        assert.ok(PASSWORD);
      },
      { heading: somebody.name },
    );
  });
});

describe('the app’s own calls where the admin prefixes are open to this network, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ people: 3 });

  it('change nothing without the session', async () => {
    const identity = await ada(intercepted);
    await editing(intercepted, identity, async ({ page, context, expect }) => {
      expect(401, /^\/api\//);
      await page.getByLabel('First name').fill('Grace');
      await context.clearCookies({ name: 'dashboard-session' });
      await save(page);
      await page.getByText('You are signed out').waitFor();
      const writes = intercepted.upstream.seen.filter(({ method }) => method !== 'GET');
      assert.deepEqual(writes, []);
    });
  });

  it('allow a viewer nothing that the pages do not', () =>
    onPage(
      intercepted,
      '/dashboard',
      async ({ page, expect }) => {
        expect(403, /^\/api\/identity-admin\//);
        const status = await page.evaluate(async () => (await fetch('/api/identity-admin/admin/identities')).status);
        assert.equal(status, 403);
      },
      { role: 'viewer' },
    ));
});
