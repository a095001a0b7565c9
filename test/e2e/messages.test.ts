import assert from 'node:assert/strict';
import { becomes } from '../support/becomes.ts';
import { type InterceptedDashboard, interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { type SentMessage, sentMessage } from '../support/message-pages.ts';
import { sandboxBrowser } from '../support/sandbox-browser.ts';

/** Whatever a browser reports, loads or runs if it is let. */
const HOSTILE_MAIL = `<!doctype html><html><head><style>p { color: red }</style><link rel="stylesheet" href="https://evil.example/x.css"><base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/"></head>
<body onload="alert(1)" style="background: url(https://evil.example/b)"><h1 style="color:red" onclick="alert(1)">Hello</h1>
<script>alert(1)</script><img src="https://evil.example/x.png" onerror="alert(1)" alt=""><svg onload="alert(1)"><style>p{}</style><circle style="fill:red"/></svg>
<p style=color:red>Choose <a href="https://evil.example/?a=1" style="x">Choose a new password</a></p>
<form action="https://evil.example/"><p>Your password</p><input name="p" autofocus onfocus="alert(1)"><button formaction="javascript:alert(1)">Go</button></form>
<iframe src="https://evil.example/"></iframe><object data="https://evil.example/"></object><video src="https://evil.example/v" autoplay></video>
<template><p style="x">t</p></template><table background="https://evil.example/t"><tr><td style="x" width=1>cell</td></tr></table></body></html>`;

describe('the messages, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ people: 400 });
  const given = ({ upstream }: InterceptedDashboard, ...messages: SentMessage[]): void => {
    upstream.before = ({ path }) => {
      const message = messages.find(({ id }) => path.endsWith(id));
      return message && { status: 200, body: JSON.stringify(message) };
    };
  };

  it('are paged through by keyboard alone, lead to one and back, and begin with the code of a moment ago', async () => {
    const browser = sandboxBrowser();
    const form = await browser.open(`${intercepted.dashboard.sandbox.environment.OAUTH_URL}/recovery`);
    const { email } = intercepted.dashboard.operator('viewer');
    await browser.submit(form, { email });
    await onPage(
      intercepted,
      '/messages',
      async ({ page }) => {
        await page.getByText('Page 1, rows 1–25, total unknown').waitFor();
        await page.locator('tr[data-row="0"]').getByRole('link', { name: email }).waitFor();
        await page.locator('tr[data-row="0"]').focus();
        await page.keyboard.press('n');
        await page.getByText('Page 2, rows 26–').waitFor();
        await page.waitForFunction(() => (document.activeElement as HTMLElement).dataset.row === '0');
        await page.keyboard.press('Enter');
        await page.getByRole('link', { name: 'JSON' }).waitFor();
        await page.waitForFunction(() => document.activeElement?.hasAttribute('data-page-heading'));
        await page.getByRole('main').getByRole('link', { name: 'Messages', exact: true }).press('Enter');
        await page.getByText('Page 2').waitFor();
        await page.getByRole('button', { name: 'Previous page' }).click();
        await page.locator('tr[data-row="0"]').getByRole('link', { name: email }).click();
        await page.getByText(/^Use code \d{6} to recover access/).waitFor();
        await page.getByRole('region', { name: 'Delivery' }).getByText('No delivery attempt yet.').waitFor();
      },
      { heading: 'Messages' },
    );
  });

  it('in HTML are text first, formatted on request in a frame that reports and loads nothing, and source', () =>
    onPage(intercepted, '/messages', async ({ page }) => {
      const message = sentMessage({ body: HOSTILE_MAIL });
      given(intercepted, message);
      await page.goto(`${intercepted.dashboard.baseUrl}/messages/${message.id}`);
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
      await page.reload();
      await frame.getByRole('heading', { name: 'Hello' }).waitFor();
      await page.getByRole('button', { name: 'Source' }).click();
      await page.getByRole('region', { name: 'Body source' }).getByText('<script>alert(1)</script>').waitFor();
    }));

  it('with an unclosed tag, or nested too deeply, do not block the page', () =>
    onPage(intercepted, '/messages', async ({ page }) => {
      const unclosed = sentMessage({ body: `<p>Hello</p><p ${'a'.repeat(200_000)}>there</p>` });
      const nested = sentMessage({ body: `<p>Hello</p>${'<div>'.repeat(20_000)}there` });
      given(intercepted, unclosed, nested);
      await page.goto(`${intercepted.dashboard.baseUrl}/messages/${unclosed.id}`);
      await page.getByRole('region', { name: 'Body as text' }).getByText('there').waitFor();
      await page.goto(`${intercepted.dashboard.baseUrl}/messages/${nested.id}`);
      await page.getByText('This message is too long or too deeply nested to show as text.').waitFor();
      await page.getByRole('region', { name: 'Body source' }).getByText('<p>Hello</p>').waitFor();
      await page.getByRole('main').getByRole('link', { name: 'JSON' }).click();
      await page.getByRole('region', { name: 'Message as JSON' }).waitFor();
    }));
});
