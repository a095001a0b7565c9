import assert from 'node:assert/strict';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { person } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, type Looks, onPage } from '../support/intercepted-dashboard.ts';
import { HOSTILE_MAIL, MESSAGES, type SentMessage, sentMessage } from '../support/message-pages.ts';

describe('a message, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ env: { PROXY_TIMEOUT_MS: '1000' } });
  const onMessage = (
    message: SentMessage,
    work: (visit: Visit) => Promise<void>,
    { query = '', ...looks }: { query?: string } & Looks = {},
  ): Promise<void> =>
    onPage(
      intercepted,
      '/messages',
      async (visit) => {
        intercepted.upstream.before = ({ path }) =>
          path.endsWith(message.id) ? { status: 200, body: JSON.stringify(message) } : undefined;
        await visit.page.goto(`${intercepted.dashboard.baseUrl}/messages/${message.id}${query}`);
        await visit.page.getByRole('region', { name: 'Delivery' }).waitFor();
        await work(visit);
      },
      looks,
    );

  it(`has its tries with what went wrong, without the mail server, and is accessible in all colours and widths`, () =>
    onMessage(
      sentMessage({
        status: 'abandoned',
        send_count: 2,
        dispatches: ['dial tcp 10.9.8.7:1025: connection refused', `lookup smtp.corp.example: ${'x'.repeat(300)}`].map(
          (reason, index) => ({
            id: String(index),
            status: 'failed',
            error: { code: 500, reason },
            created_at: `2026-01-31T09:00:0${index}Z`,
          }),
        ),
      }),
      async ({ page }) => {
        const delivery = page.getByRole('region', { name: 'Delivery' });
        await delivery.getByText('The courier gave up after 2 attempts').waitFor();
        await delivery.getByText('dial tcp …: connection refused').waitFor();
        await page.getByRole('link', { name: 'Find this person' }).waitFor();
        await assertAccessibleInAllLooks(page, 'a message');
        await becomes(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
        await page.getByRole('link', { name: 'JSON' }).click();
        await page.getByRole('region', { name: 'Message as JSON' }).waitFor();
        assert.doesNotMatch(await page.content(), /10\.9\.8\.7|smtp\.corp/);
      },
    ));

  it('with an unclosed tag is read at once, and one nested too deeply is shown as source; the page keeps working', () =>
    onMessage(sentMessage({ body: `<p>Hello</p><p ${'a'.repeat(200_000)}>there</p>` }), async (visit) => {
      const { page } = visit;
      await page.getByRole('region', { name: 'Body as text' }).getByText('there').waitFor();
      const nested = sentMessage({ body: `<p>Hello</p>${'<div>'.repeat(20_000)}there` });
      intercepted.upstream.before = ({ path }) =>
        path.endsWith(nested.id) ? { status: 200, body: JSON.stringify(nested) } : undefined;
      await page.goto(`${intercepted.dashboard.baseUrl}/messages/${nested.id}`);
      await page.getByText('This message is too long or too deeply nested to show as text.').waitFor();
      await page.getByRole('region', { name: 'Body source' }).getByText('<p>Hello</p>').waitFor();
      await assertAccessibleInAllLooks(page, 'a message that is not taken apart');
      await page.getByRole('main').getByRole('link', { name: 'JSON' }).click();
      await page.getByRole('region', { name: 'Message as JSON' }).waitFor();
    }));

  it('in HTML is text first, formatted on request in a frame that reports and loads nothing, and as it was written', () =>
    onMessage(sentMessage({ body: HOSTILE_MAIL }), async ({ page }) => {
      const text = page.getByRole('region', { name: 'Body as text' });
      await text.getByText('Choose a new password (https://evil.example/?a=1)').waitFor();
      assert.doesNotMatch(await text.innerText(), /alert|color: red/);
      await page.getByRole('button', { name: 'Formatted' }).click();
      await page.waitForURL(/\?as=formatted$/);
      const frame = page.frameLocator('iframe[sandbox=""]');
      await frame.getByRole('heading', { name: 'Hello' }).waitFor();
      await frame.getByText('Your password').waitFor();
      assert.equal(await frame.locator('script, style, link, img, form, input, a, [style], [onclick]').count(), 0);
      await becomes(() => page.evaluate(() => document.activeElement?.textContent), 'Formatted');
      await becomes(
        () => page.getByRole('main').getByRole('link', { name: 'Overview' }).getAttribute('aria-current'),
        'page',
      );
      await assertAccessibleInAllLooks(page, 'a formatted message');
      await page.reload();
      await frame.getByRole('heading', { name: 'Hello' }).waitFor();
      await page.getByRole('button', { name: 'Source' }).click();
      await page.getByRole('region', { name: 'Body source' }).getByText('<script>alert(1)</script>').waitFor();
    }));

  it('in plain text is shown as such, with invisible characters made visible', () =>
    onMessage(
      sentMessage({ subject: 'Your \u202ecode', body: 'Line 1\r\n<script>alert(1)</script> \u202eX' }),
      async ({ page }) => {
        const body = page.getByRole('region', { name: 'Body as text' });
        await becomes(() => body.textContent(), 'Line 1\n<script>alert(1)</script> ⟨U+202E⟩X');
        await page.getByText('Your ⟨U+202E⟩code').waitFor();
        assert.equal(await page.getByRole('button', { name: 'Formatted' }).count(), 0);
      },
      { query: '?as=formatted' },
    ));

  it('says that the service hides what it says where it does', () => {
    const hidden = '<redacted-unless-dev-mode>';
    return onMessage(sentMessage({ subject: hidden, body: hidden }), async ({ page }) => {
      await page.getByText('The identity service hides subjects and bodies').waitFor();
      assert.equal(await page.getByText(hidden).count(), 0);
    });
  });

  it('shows when it is missing, and when loading failed, with a retry', () =>
    onPage(intercepted, '/messages', async ({ page, expect }) => {
      expect(404, /courier/);
      expect(504, /courier/);
      await page.goto(`${intercepted.dashboard.baseUrl}/messages/11111111-1111-4111-8111-111111111111`);
      await page.getByText('Message not found').waitFor();
      const message = sentMessage({});
      intercepted.upstream.before = () => 'silence';
      await page.goto(`${intercepted.dashboard.baseUrl}/messages/${message.id}`);
      await page.getByRole('alert').waitFor();
      intercepted.upstream.before = ({ path }) =>
        path.endsWith(message.id) ? { status: 200, body: JSON.stringify(message) } : undefined;
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { level: 1, name: 'Recovery code' }).waitFor();
      await page.goto(`${intercepted.dashboard.baseUrl}/messages/nope`);
      await page.getByText('does not contain a message id').waitFor();
    }));

  it('stands on the page of the person it was sent to, as far as each address can be asked for', async () => {
    const somebody = await person(intercepted);
    await onPage(
      intercepted,
      `/identities/${somebody.id}/messages`,
      async ({ page, expect }) => {
        expect(500, MESSAGES);
        await page.getByText(`Nothing has been sent to ${somebody.email} recently.`).waitFor();
        const message = sentMessage({ recipient: somebody.email });
        intercepted.upstream.before = ({ path }) =>
          path.startsWith('/admin/courier/messages?')
            ? { status: 500, body: '{"error":{"message":"error"}}' }
            : path.endsWith(message.id)
              ? { status: 200, body: JSON.stringify(message) }
              : undefined;
        await page.reload();
        await page.getByText(`The messages to ${somebody.email} are unavailable`).waitFor();
        intercepted.upstream.before = ({ path }) =>
          path.startsWith('/admin/courier/messages')
            ? { status: 200, body: JSON.stringify(path.includes('?') ? [message] : message) }
            : undefined;
        await page.getByRole('button', { name: 'Try again' }).click();
        const list = page.getByRole('list', { name: 'Messages' });
        await list.getByText('Sent', { exact: true }).waitFor();
        await assertAccessibleInAllLooks(page, "a person's messages");
        await list.getByRole('link', { name: 'Recovery code' }).click();
        await page.getByRole('region', { name: 'Delivery' }).waitFor();
      },
      { heading: somebody.name },
    );
  });
});
