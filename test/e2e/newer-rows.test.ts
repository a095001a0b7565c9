import assert from 'node:assert/strict';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { onPage } from '../support/intercepted-dashboard.ts';
import { firstName, firstRow, newer, newestFirstListsOfSuite, turnTab } from '../support/newest-first-lists.ts';

const HALF_MINUTE_MS = 30_000;

describe('what came since a list was read, in a browser', () => {
  const { intercepted, call, lists, session, message, LISTS, onList, recorded } = newestFirstListsOfSuite();

  for (const name of Object.keys(LISTS) as (keyof typeof LISTS)[]) {
    it(`${name} are counted every half minute in one small question, and come when they are asked for`, () =>
      onList(name, async ({ page }, questions, pass) => {
        const { add } = LISTS[name];
        const first = await firstName(page);
        const { y } = (await firstRow(page).boundingBox()) ?? assert.fail();
        await pass(HALF_MINUTE_MS - 2_000);
        assert.deepEqual(questions, [], 'what was just read is asked for again');
        await pass(3_000);
        await becomes(() => questions.length, 1);
        await becomes(() => newer(page).count(), 0);
        await add(3);
        await pass(HALF_MINUTE_MS);
        await newer(page).getByText(`3 new ${name}`).waitFor();
        assert.equal(questions.length, 2);
        assert.equal(await firstName(page), first, 'the rows changed by themselves');
        assert.equal((await firstRow(page).boundingBox())?.y, y, 'the rows moved');
        await assertAccessibleInAllLooks(page, `the new ${name}`);
        await newer(page).click();
        await becomes(async () => (await firstName(page)) !== first, true);
        await newer(page).waitFor({ state: 'detached' });
        await add(1);
        await pass(HALF_MINUTE_MS);
        await newer(page)
          .getByText(/^1 new \w+[^s]$/)
          .waitFor();
      }));

    it(`${name}: none of the questions leaves a record, and a hidden tab asks none`, () =>
      onList(name, async ({ page }, questions, pass) => {
        const before = await recorded();
        for (let minute = 1; minute <= 3; minute += 1) {
          await pass(HALF_MINUTE_MS + 1_000);
          await becomes(() => questions.length, minute);
        }
        assert.equal(await recorded(), before);
        await turnTab(page, 'hidden');
        await pass(20 * HALF_MINUTE_MS);
        assert.equal(questions.length, 3, 'it asks though nobody looks');
        await LISTS[name].add(2);
        await turnTab(page, 'visible');
        await newer(page).getByText(`2 new ${name}`).waitFor();
        assert.equal(questions.length, 4);
      }));
  }

  it('stays at “50+” and “10+” where there are more than the question holds', async () => {
    for (const [name, words] of [
      ['sessions', '50+ new sessions'],
      ['messages', '10+ new messages'],
    ] as const)
      await onList(name, async ({ page }, _, pass) => {
        await LISTS[name].add(70);
        await pass(HALF_MINUTE_MS + 1_000);
        await newer(page).getByText(words, { exact: true }).waitFor();
      });
  });

  it('counts only what the filters let through', async () => {
    await onList(
      'sessions',
      async ({ page }, questions, pass) => {
        lists.sessions.unshift(session({ active: false }), session({ active: true }));
        await pass(HALF_MINUTE_MS + 1_000);
        await newer(page).getByText('1 new session', { exact: true }).waitFor();
        assert.match(String(questions), /active=true/);
      },
      '?active=true',
    );
    await onList(
      'messages',
      async ({ page }, questions, pass) => {
        lists.messages.unshift(message('queued'), message('sent'), message('sent'));
        await pass(HALF_MINUTE_MS + 1_000);
        await newer(page).getByText('2 new messages').waitFor();
        assert.match(String(questions), /status=sent/);
      },
      '?status=sent',
    );
    await onList(
      'records',
      async ({ page }, questions, pass) => {
        await call('/api/settings', { key: 'brand.color', value: 'x', category: 'brand' });
        await LISTS.records.add(1);
        await pass(HALF_MINUTE_MS + 1_000);
        await newer(page).getByText('1 new record', { exact: true }).waitFor();
        assert.match(String(questions), /subject=setting/);
      },
      '?subject=setting:brand.name',
    );
  });

  it('is not asked for on a later page, nor of one person’s sessions, whose search leaves a record each time', async () => {
    await onList('messages', async ({ page }, questions, pass) => {
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('Page 2, rows 26–').waitFor();
      await LISTS.messages.add(2);
      await pass(4 * HALF_MINUTE_MS);
      assert.deepEqual(questions, []);
      assert.equal(await newer(page).count(), 0);
    });
    await onPage(
      intercepted,
      '/settings',
      async ({ page }) => {
        await page.clock.install();
        await page.goto(`${intercepted.dashboard.baseUrl}/sessions?q=example`);
        await page
          .getByText(/sessions? match|Page 1|No session/)
          .first()
          .waitFor();
        const before = await recorded();
        await page.clock.runFor(4 * HALF_MINUTE_MS);
        assert.equal(await recorded(), before);
      },
      { heading: 'Settings' },
    );
  });

  it('comes by the key r, and focus and scroll position stay where they are', () =>
    onList('messages', async ({ page }, _, pass) => {
      // There must be room below to scroll to.
      await page.setViewportSize({ width: 1280, height: 500 });
      await page.locator('tr[data-row="12"]').focus();
      const text = await page.locator(':focus').innerText();
      const scrolled = await page.evaluate(() => scrollY);
      assert.ok(scrolled > 0);
      await LISTS.messages.add(3);
      await pass(HALF_MINUTE_MS + 1_000);
      await newer(page).waitFor();
      assert.equal(await page.evaluate(() => scrollY), scrolled);
      const top = (await page.locator(':focus').boundingBox())?.y;
      await page.keyboard.press('r');
      await newer(page).waitFor({ state: 'detached' });
      await becomes(() => page.locator('tr[data-row="15"]').innerText(), text);
      assert.equal(await page.locator(':focus').getAttribute('data-row'), '15');
      assert.ok(Math.abs(((await page.locator(':focus').boundingBox())?.y ?? 0) - (top ?? 0)) < 2, 'the row moved');
      await page.keyboard.press('k');
      await becomes(() => page.locator(':focus').getAttribute('data-row'), '14');
    }));

  it('comes by the button, which keeps the focus of a keyboard until that moves on', () =>
    onList('records', async ({ page }, _, pass) => {
      await LISTS.records.add(2);
      await pass(HALF_MINUTE_MS + 1_000);
      await newer(page).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Up to date' }).waitFor();
      await becomes(() => page.locator(':focus').innerText(), 'Up to date');
      await page.keyboard.press('Tab');
      await newer(page).waitFor({ state: 'detached' });
    }));

  it('is asked for more rarely while the question fails, without a word, and at its own pace afterwards', () =>
    onList('messages', async ({ page, context, expect }, questions, pass) => {
      expect(502, '/api/identity-admin/admin/courier/messages');
      await context.route('**/admin/courier/messages?page_size=10*', (route) =>
        route.fulfill({ status: 502, json: { error: 'bad_gateway', message: 'Away.' } }),
      );
      await pass(HALF_MINUTE_MS + 1_000);
      await becomes(() => questions.length, 1);
      await pass(HALF_MINUTE_MS);
      assert.equal(questions.length, 1);
      await pass(HALF_MINUTE_MS);
      await becomes(() => questions.length, 2);
      await pass(3 * HALF_MINUTE_MS);
      assert.equal(questions.length, 2);
      assert.equal(await page.getByRole('alert').count(), 0);
      await context.unroute('**/admin/courier/messages?page_size=10*');
      await LISTS.messages.add(1);
      await pass(HALF_MINUTE_MS + 1_000);
      await newer(page).getByText('1 new message', { exact: true }).waitFor();
      await becomes(() => questions.length, 3);
      await pass(HALF_MINUTE_MS);
      await becomes(() => questions.length, 4);
    }));

  it('is asked for no more once the session has ended', () =>
    onList('records', async ({ page, context, expect }, questions, pass) => {
      expect(401, /^\/api\//);
      await context.clearCookies({ name: 'dashboard-session' });
      await page.getByRole('button', { name: 'Read again' }).click();
      await page.getByRole('alert').filter({ hasText: 'You are signed out' }).waitFor();
      await pass(20 * HALF_MINUTE_MS);
      assert.deepEqual(questions, []);
    }));
});
