import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { submitCredentials } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import * as pages from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { chooseFile } from '../support/transfer-pages.ts';

const { createAda, createPerson, onEditForm, save } = pages;

describe('the page of an identity', () => {
  const intercepted = interceptedDashboardOfSuite({ env: { PROXY_REQUIRE_SESSION: 'true' } });

  it('still displays a new recovery code after the operator has pressed Back', async () => {
    const { traits } = await createAda(intercepted);
    await onPage(intercepted, '/identities', async ({ page }) => {
      await pages.searchField(page).fill(String(traits.email));
      await pages
        .listRows(page)
        .getByRole('link', { name: String(traits.email) })
        .click();
      await page.getByRole('button', { name: 'Create recovery code…', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Create code' }).click();
      await dialog.getByText('Shown once').waitFor();
      const address = page.url();
      await page.evaluate(
        () =>
          new Promise((resolve) => {
            addEventListener('popstate', resolve, { once: true });
            history.back();
          }),
      );
      await eventually(() => page.evaluate(() => location.href), address, 'the address is restored');
      assert.ok(await dialog.getByText('Shown once').isVisible());
      await dialog.getByRole('button', { name: 'Done' }).click();
      await dialog.waitFor({ state: 'detached' });
    });
  });

  it('restores unsaved changes after a sign-in, and still reports a conflict with another operator’s change', async () => {
    const { dashboard } = intercepted;
    const { id } = await createAda(intercepted);
    await onEditForm(
      intercepted,
      await pages.requestIdentity(intercepted, id).then((response) => response.json()),
      async (visit) => {
        const { page, context, expect } = visit;
        expect(401, /\/identities\//);
        await page.getByLabel('First name').fill('Typed before the end');
        await context.clearCookies({ name: 'dashboard-session' });
        await save(page);
        await page.getByText('You are signed out').waitFor();
        await eventually(() => page.getByLabel('First name').inputValue(), 'Typed before the end');
        await pages.changeIdentity(intercepted, id, { '/traits/name/first': 'Theirs' });
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await submitCredentials(page, dashboard.operator('admin'));
        await page.getByText('Your unsaved changes were restored').waitFor();
        await eventually(() => page.getByLabel('First name').inputValue(), 'Typed before the end');
        await save(page);
        await page.getByRole('dialog').getByText('Keep theirs').waitFor();
        await page
          .getByRole('dialog')
          .getByLabel(/Save yours/)
          .check();
        await page.getByRole('button', { name: 'Save selected' }).click();
        await page.getByText(/^Saved /).waitFor();
      },
    );
  });

  it('scrolls to the error of a failed save, above the sticky buttons', async () => {
    await onEditForm(intercepted, await createAda(intercepted), async ({ page, expect }) => {
      expect(429, /\/identities\//);
      intercepted.upstream.before = ({ method }) =>
        method === 'PATCH' ? { status: 429, body: '{"error":{"message":"Too many"}}' } : undefined;
      await page.getByLabel('Last name').fill('New');
      await page.setViewportSize({ width: 1280, height: 700 });
      await save(page);
      const [alert, buttons] = [page.getByRole('alert'), page.getByRole('button', { name: 'Save' })];
      await alert.waitFor();
      const isAbove = async (): Promise<boolean> => {
        const [note, button] = [await alert.boundingBox(), await buttons.boundingBox()];
        return note !== null && button !== null && note.y > 0 && note.y + note.height <= button.y;
      };
      await eventually(isAbove, true);
    });
  });

  it('has its actions in the same place for a short and a long name, while it loads, and at every width', async () => {
    const named = (first: string) =>
      pages.createIdentity(intercepted, {
        schema_id: 'customer',
        traits: { email: `${first}@example.org`.toLowerCase(), name: { first, last: 'Abc' }, locale: 'en' },
      });
    const people = [await named('Bo'), await named(`Bo${'-with-a-long-name'.repeat(5)}`)];
    await onPage(intercepted, '/dashboard', async ({ page }) => {
      for (const width of [1920, 1440, 1024, 390]) {
        await page.setViewportSize({ width, height: 900 });
        const places: string[] = [];
        for (const { id } of people) {
          const { promise: released, resolve: release } = Promise.withResolvers<void>();
          await page.route(new RegExp(`/admin/identities/${id}$`), (route) => released.then(() => route.continue()));
          await page.goto(`${intercepted.dashboard.baseUrl}/identities/${id}`);
          const [menu, tabs] = [page.getByRole('button', { name: 'More actions' }), page.locator('main nav')];
          await tabs.waitFor();
          const whileLoading = await tabs.boundingBox();
          release();
          await menu.waitFor();
          assert.deepEqual(await tabs.boundingBox(), whileLoading, `${width} px`);
          places.push(JSON.stringify([await menu.boundingBox(), whileLoading]));
          assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} px`);
        }
        assert.equal(places[0], places[1], `${width} px`);
      }
    });
  });

  it('has the next row of the list beside it, but neither that nor a search after a reload', async () => {
    await onPage(intercepted, '/identities', async ({ page }) => {
      await pages.listRows(page).first().locator('[data-open]').click();
      const steps = page.getByRole('group', { name: /^Rows of the list/ });
      await steps.getByText(/^1 of \d+$/).waitFor();
      await page.keyboard.press('j');
      await steps.getByText(/^2 of \d+$/).waitFor();
      const searches: string[] = [];
      page.on('request', (request) => void (/identities\/search/.test(request.url()) && searches.push(request.url())));
      await page.reload();
      await page.getByRole('button', { name: 'More actions' }).waitFor();
      await page.waitForLoadState('networkidle');
      assert.equal(await steps.count(), 0);
      assert.deepEqual(searches, []);
    });
  });

  it('copies the identity as JSON', async () => {
    const { id, name } = await createPerson(intercepted);
    await onPage(intercepted, { path: `/identities/${id}`, heading: name }, async ({ page, context }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: intercepted.dashboard.baseUrl });
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Copy as JSON' }).click();
      await eventually(() => page.evaluate(() => navigator.clipboard.readText()), new RegExp(id));
    });
  });

  it('filters its timeline by kind with the keyboard, keeps the filter on reload, and links to an audit record', async () => {
    const { id, name } = await createPerson(intercepted);
    await onPage(intercepted, { path: `/identities/${id}`, heading: name }, async ({ page }) => {
      const choice = (kind: string) =>
        page.getByRole('group', { name: 'Show' }).getByRole('button', { name: kind, exact: true });
      const lines = page.locator('[data-timeline] li');
      const count = (): Promise<number> => lines.count();
      await page.getByRole('link', { name: 'Timeline', exact: true }).press('Enter');
      await page.getByRole('heading', { level: 2, name: /^Today, \d/ }).waitFor();
      await page.getByText(/^\d+ events, all that could be loaded$/).waitFor();
      const all = await count();
      await choice('Changes here').focus();
      await page.keyboard.press('Enter');
      await eventually(count, 1);
      await eventually(() => new URL(page.url()).search, '?kind=trail');
      await eventually(() => choice('Changes here').getAttribute('aria-pressed'), 'true');
      await page.reload();
      await eventually(count, 1);
      await choice('Everything').press('Enter');
      await eventually(count, all);
      assert.equal(new URL(page.url()).search, '');
      await lines.getByRole('link', { name: /^Record \d+$/ }).press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Audit trail' }).waitFor();
      const records = page.getByRole('list', { name: 'Records, newest first' }).getByRole('listitem');
      await eventually(() => records.count(), 1);
    });
  });

  const undo = (page: Page) => page.getByRole('status').getByRole('button', { name: 'Undo', exact: true });

  it('offers to undo a change for ten seconds, not counting time while the pointer or the focus is on the toast', async () => {
    await onEditForm(intercepted, await createAda(intercepted), async ({ page }) => {
      await page.getByLabel('First name').fill('Eve');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await undo(page).waitFor();
      const countdown = await page.evaluateHandle(() => {
        const [bar] = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().duration === 10_000);
        return bar as Animation;
      });
      const state = () => countdown.evaluate(({ playState }) => playState);
      await undo(page).hover();
      await eventually(state, 'paused');
      await page.mouse.move(0, 0);
      await eventually(state, 'running');
      await page.keyboard.press('u');
      await eventually(state, 'paused');
      await undo(page).blur();
      await eventually(state, 'running');
      await countdown.evaluate((animation) => animation.finish());
      await undo(page).waitFor({ state: 'detached' });
    });
  });

  it('moves the focus to the button Undo on the key u, and to the heading afterwards', async () => {
    await onEditForm(intercepted, await createAda(intercepted), async ({ page }) => {
      await page.getByLabel('First name').fill('Eve');
      await page.keyboard.press('Enter');
      await undo(page).waitFor();
      const focused = (): Promise<string | undefined> => page.evaluate(() => document.activeElement?.localName);
      // The form is left after the toast has appeared.
      await eventually(focused, 'h1');
      await page.keyboard.press('u');
      await page.keyboard.press('Enter');
      await page.getByText(/^Reverted: first name is .+ again$/).waitFor();
      await eventually(focused, 'h1');
    });
  });

  it('saves and imports traits although a pattern of their schema is catastrophic, because the check has a time limit', async () => {
    const { id } = await createAda(intercepted);
    const letters = `${'a'.repeat(60)}!`;
    const person = (index: number): string =>
      JSON.stringify({
        schema_id: 'customer',
        traits: { email: `p${index}@b.example`, phone: index === 7 ? letters : 'aa' },
      });
    await onPage(intercepted, '/dashboard', async ({ page, expect }) => {
      const ofPhones = String.raw`^\\+[0-9]{6,15}$`;
      await page.route(/\/api\/identity\/schemas(?:\/customer)?$/, async (route) => {
        const body = (await (await route.fetch()).text()).replaceAll(ofPhones, () => '^(a+)+$');
        await route.fulfill({ contentType: 'application/json', body });
      });
      await page.goto(`${intercepted.dashboard.baseUrl}/identities/${id}/traits/edit`);
      await page.getByLabel('Phone').fill(letters);
      expect(400, new RegExp(id));
      await save(page);
      await page.getByText('This browser could not check the traits').waitFor();
      await eventually(() => pages.sentPatches(intercepted).length, 1);

      await page.goto(`${intercepted.dashboard.baseUrl}/identities/import`);
      const content = Array.from({ length: 50 }, (_, index) => person(index)).join('\n');
      await chooseFile(page, { name: 'people.ndjson', content });
      await page.getByText(/This browser could not check the traits of \d+/).waitFor();
      await page.getByText('50 identities, 50 without problems').waitFor();
    });
  });
});
