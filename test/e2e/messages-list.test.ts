import assert from 'node:assert/strict';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { interceptedDashboardOfSuite, type Looks, onPage } from '../support/intercepted-dashboard.ts';
import { MESSAGES, type SentMessage } from '../support/message-pages.ts';
import { sandboxBrowser } from '../support/sandbox-browser.ts';

describe('the messages, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ people: 400, env: { PROXY_TIMEOUT_MS: '1000' } });
  let stored: SentMessage[];
  before(async () => {
    const answer = await intercepted.dashboard.call(`${MESSAGES}?page_size=500`, {
      session: intercepted.sessions.admin,
    });
    stored = (await answer.json()) as SentMessage[];
  });
  const onList = (work: (visit: Visit) => Promise<void>, query = '', looks: Looks = {}): Promise<void> =>
    onPage(intercepted, `/messages${query}`, work, { heading: 'Messages', ...looks });
  const pagesAsked = (): string[] =>
    intercepted.upstream.seen.map(({ path }) => path).filter((path) => path.startsWith('/admin/courier/messages?'));
  const withStatus = (status: string): SentMessage =>
    stored.find((message) => message.status === status) ?? assert.fail(`the sandbox has no ${status} message`);

  it(`stand with recipient, subject matter and status, without what they say, and are accessible in all colours and widths`, () =>
    onList(async ({ page }) => {
      const [latest] = stored;
      const row = page.locator('tr[data-row="0"]');
      await row.getByText(latest?.recipient ?? '').waitFor();
      await row.getByText('Sending').waitFor();
      const text = await page.locator('tbody').innerText();
      assert.ok(
        stored.every(({ subject }) => subject === '' || !text.includes(subject)),
        'a live code is shown',
      );
      await assertAccessibleInAllLooks(page, 'the messages');
    }));

  it('are walked by cursor, one upstream request a page, by keyboard alone, and come back to', () =>
    onList(async ({ page }) => {
      await page.getByText('Page 1, rows 1–25, total unknown').waitFor();
      await page.locator('tr[data-row="0"]').focus();
      await page.keyboard.press('n');
      await page.getByText('Page 2, rows 26–').waitFor();
      assert.equal(pagesAsked().length, 2);
      assert.ok((new URLSearchParams(pagesAsked()[1]).get('page_token') ?? '').length >= 24);
      await becomes(() => new URL(page.url()).search, '', 'a cursor is good for an hour: no link carries it');
      await page.waitForFunction(() => (document.activeElement as HTMLElement).dataset.row === '0');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'JSON' }).waitFor();
      await page.waitForFunction(() => document.activeElement?.hasAttribute('data-page-heading'));
      await page.getByRole('main').getByRole('link', { name: 'Messages', exact: true }).press('Enter');
      await page.getByText('Page 2').waitFor();
    }));

  it('are filtered by status and by whole recipient, and offer what may be meant where none is found', () => {
    const { recipient } = withStatus('abandoned');
    return onList(async ({ page }) => {
      await page.getByLabel('Status').selectOption('Abandoned');
      await page.getByText(/^\d+ messages? match/).waitFor();
      await becomes(() => new URL(page.url()).search, '?status=abandoned');
      await page.getByLabel('Recipient', { exact: true }).fill(` ${recipient.toUpperCase()} `);
      await page.keyboard.press('Enter');
      await page.getByText('No message to this recipient').waitFor();
      await page.getByRole('button', { name: 'Search in lower case' }).click();
      await page.getByText(/^1 message matches/).waitFor();
      await becomes(() => Object.fromEntries(new URL(page.url()).searchParams), { status: 'abandoned', recipient });
      assert.match(pagesAsked().at(-1) ?? '', /status=abandoned&recipient=/);
      await page.goto(`${intercepted.dashboard.baseUrl}/messages?status=lost&page_token=nope`);
      await page.getByText('Page 1').waitFor();
      assert.equal(pagesAsked().at(-1), '/admin/courier/messages?page_size=25');
    });
  });

  it('hand out the recipients of those that were chosen', () =>
    onList(async ({ page, context }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.locator('tr[data-row="0"]').getByRole('checkbox').check();
      await page.locator('tr[data-row="1"]').getByRole('checkbox').check();
      await page.getByRole('button', { name: 'Copy the recipients' }).click();
      await page.getByText(/^Copied \d recipients?$/).waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      assert.deepEqual(new Set(copied.split('\n')), new Set(stored.slice(0, 2).map(({ recipient }) => recipient)));
    }));

  it('keep the rows when a cursor is refused, and start again on request', () =>
    onList(async ({ page, expect }) => {
      expect(400, MESSAGES);
      await page.getByText('Page 1, rows 1–25').waitFor();
      intercepted.upstream.before = ({ path }) =>
        path.includes('page_token')
          ? { status: 400, body: '{"error":{"code":500,"message":"page token expired, do not persist page tokens"}}' }
          : undefined;
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('This page has expired').waitFor();
      await page.getByText('Page 1, rows 1–25').waitFor();
      intercepted.upstream.before = () => undefined;
      await page.getByRole('button', { name: 'Start again from page 1' }).click();
      await page.getByText('This page has expired').waitFor({ state: 'detached' });
    }));

  for (const [circumstance, answer, status, shown] of [
    ['with something else', { status: 200, body: '{"messages":[]}' }, 200, 'not a list of messages'],
    ['with an error', { status: 500, body: '{"error":{"message":"at 10.0.0.1:4434"}}' }, 500, 'Request'],
    ['with silence', 'silence', 504, 'Request'],
  ] as const)
    it(`say in their place that the service failed when it answers ${circumstance}, and try again on request`, () =>
      onList(async ({ page, expect }) => {
        if (status !== 200) expect(status, MESSAGES);
        await page.getByText('Page 1').waitFor();
        intercepted.upstream.before = ({ path }) => (path.includes('status=') ? answer : undefined);
        await page.getByLabel('Status').selectOption('Sent');
        await page.getByRole('alert').filter({ hasText: shown }).waitFor();
        assert.equal(await page.getByText('10.0.0.1').count(), 0);
        intercepted.upstream.before = () => undefined;
        await page.getByRole('button', { name: 'Try again' }).click();
        await page.getByText('Page 1').or(page.getByText('messages match')).first().waitFor();
      }));

  it('tell a queue without messages from a filter without a hit, and show odd ones without a fault', () =>
    onList(async ({ page }) => {
      intercepted.upstream.before = ({ path }) =>
        path.includes('page_size=100')
          ? { status: 200, body: '[]' }
          : path.includes('page_size=50')
            ? {
                status: 200,
                body: JSON.stringify([
                  { id: '../x', status: 5, recipient: 'Ada\u202egnp.exe', send_count: 'x', created_at: 'yesterday' },
                ]),
              }
            : undefined;
      await page.getByLabel('Rows per page').selectOption('50');
      const row = page.locator('tr[data-row="0"]');
      await row.getByText('U+202E').waitFor();
      await becomes(() => row.getByRole('link').getAttribute('href'), '/messages/~Li4veA');
      await page.getByLabel('Rows per page').selectOption('100');
      await page.getByText('No messages yet').waitFor();
    }));

  for (const path of ['/messages', '/messages?status=sent', '/messages/9f425a8d-7efc-4768-8f23-7647a74fdf13'])
    it(`are closed to a viewer, who is told why, without a request: ${path}`, () =>
      onPage(
        intercepted,
        path,
        async ({ page }) => {
          await page.getByText('Admin access required.').waitFor();
          await page.getByRole('link', { name: 'Messages (for administrators)' }).waitFor();
          await becomes(() => intercepted.upstream.seen, []);
        },
        { role: 'viewer' },
      ));

  it('are found by the palette', () =>
    onPage(intercepted, '/dashboard', async ({ page }) => {
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Page or action').fill('messages');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Page or action').fill('nobody@example.org');
      await page.getByRole('option', { name: 'Find messages to: nobody@example.org' }).click();
      await page.getByText('No message to this recipient').waitFor();
    }));

  it('begin with the code that somebody has just asked for at the sign-in', async () => {
    const browser = sandboxBrowser();
    const ask = await browser.open(`${intercepted.dashboard.sandbox.environment.OAUTH_URL}/recovery`);
    const { email } = intercepted.dashboard.operator('viewer');
    await browser.submit(ask, { email });
    await onList(async ({ page }) => {
      await page.locator('tr[data-row="0"]').getByRole('link', { name: email }).click();
      await page.getByText(/^Use code \d{6} to recover access/).waitFor();
      await page.getByRole('region', { name: 'Delivery' }).getByText('No delivery attempt yet.').waitFor();
    });
  });
});
