import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { listPage, messageItem } from '../support/faulting-upstream.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

/** Everything that a browser would load, run or report without the sandbox. */
const HOSTILE_MAIL = `<!doctype html><html><head><style>p { color: red }</style><link rel="stylesheet" href="https://evil.example/x.css"><base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/"></head>
<body onload="alert(1)" style="background: url(https://evil.example/b)"><h1 style="color:red" onclick="alert(1)">Hello</h1>
<script>alert(1)</script><img src="https://evil.example/x.png" onerror="alert(1)" alt=""><svg onload="alert(1)"><style>p{}</style><circle style="fill:red"/></svg>
<p style=color:red>Choose <a href="https://evil.example/?a=1" style="x">Choose a new password</a></p>
<form action="https://evil.example/"><p>Your password</p><input name="p" autofocus onfocus="alert(1)"><button formaction="javascript:alert(1)">Go</button></form>
<iframe src="https://evil.example/"></iframe><object data="https://evil.example/"></object><video src="https://evil.example/v" autoplay></video>
<template><p style="x">t</p></template><table background="https://evil.example/t"><tr><td style="x" width=1>cell</td></tr></table></body></html>`;

describe('the messages page', () => {
  const intercepted = interceptedDashboardOfSuite();
  it('displays HTML as text and, on request, as source or formatted in a frame that loads nothing', () =>
    onPage(intercepted, '/messages', async ({ page }) => {
      const message = messageItem({ body: HOSTILE_MAIL });
      intercepted.upstream.before = ({ path }) =>
        path.endsWith(message.id) ? { status: 200, body: JSON.stringify(message) } : undefined;
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
      await eventually(() => page.evaluate(() => document.activeElement?.textContent), 'Formatted');
      await page.reload();
      await frame.getByRole('heading', { name: 'Hello' }).waitFor();
      await page.getByRole('button', { name: 'Source' }).click();
      await page.getByRole('region', { name: 'Body source' }).getByText('<script>alert(1)</script>').waitFor();
    }));

  const newer = (page: Page) => page.getByRole('main').getByRole('button', { name: / new |Up to date|Reading/ });
  const add = (count: number): void => {
    for (let added = 0; added < count; added += 1) {
      const created_at = new Date(Date.UTC(2026, 0, 1) + messages.length * 1_000).toISOString();
      messages.unshift(messageItem({ recipient: `m${messages.length}@example.org`, created_at }));
    }
  };
  const messages: object[] = [];
  add(100);

  it('counts new rows, and adds them with the key r, without moving the focused row on the screen', () =>
    onPage(intercepted, '/settings', async ({ page }) => {
      intercepted.upstream.before = (request) =>
        request.path.startsWith('/admin/courier/messages') ? listPage(request, messages) : undefined;
      await page.clock.install();
      await page.goto(`${intercepted.dashboard.baseUrl}/messages`);
      await page.getByText(/^Page 1, rows? 1–/).waitFor();
      // The page polls for new rows once this part has loaded.
      await page.locator('[data-newer-rows]').waitFor({ state: 'attached' });
      // A window so low that the page scrolls.
      await page.setViewportSize({ width: 1280, height: 500 });
      const focused = page.locator(':focus');
      const top = async (): Promise<number> => Math.round((await focused.boundingBox())?.y ?? 0);
      const scrolled = (): Promise<number> => page.evaluate(() => scrollY);
      await page.locator('tr[data-row="12"]').focus();
      await eventually(async () => (await scrolled()) > 0, true);
      const [before, text] = [[await scrolled(), await top()], await focused.innerText()];
      add(3);
      await page.clock.runFor(31_000);
      await newer(page).filter({ hasText: '3 new messages' }).waitFor();
      assert.deepEqual([await scrolled(), await top(), await focused.innerText()], [...before, text]);
      await page.keyboard.press('r');
      await newer(page).waitFor({ state: 'detached' });
      await eventually(() => focused.getAttribute('data-row'), '15');
      await eventually(() => focused.innerText(), text);
      await eventually(top, before[1]);
      await page.keyboard.press('k');
      await eventually(() => focused.getAttribute('data-row'), '14');
    }));
});
