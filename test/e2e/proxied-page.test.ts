import assert from 'node:assert/strict';
import { ofBrowserSuite, originsOf, visiting } from '../support/browser.ts';
import { startDashboard } from '../support/dashboard.ts';
import { rawResponse, startRawUpstream } from '../support/raw-upstream.ts';

/** Tries what a hostile page would, and writes the results into its own text. */
const HOSTILE = `<!doctype html><title>proxied</title><pre id="results">running</pre><script>
const attempts = {
  fetch: () => fetch('/api/settings', { credentials: 'include' }).then((response) => response.text()),
  xhr: () => new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.withCredentials = true;
    request.onload = () => resolve(request.responseText);
    request.onerror = () => reject(new Error('xhr'));
    request.open('GET', '/api/settings');
    request.send();
  }),
  frame: () => new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.onload = () => resolve(frame);
    frame.src = '/dashboard';
    document.body.append(frame);
  }).then((frame) => frame.contentDocument.body.textContent),
  cookies: async () => { document.cookie = 'dashboard-session=planted; path=/'; return document.cookie; },
  storage: async () => localStorage.length,
  worker: () => navigator.serviceWorker.register('/api/identity/worker.js'),
};
(async () => {
  const results = { origin: self.origin };
  for (const [name, attempt] of Object.entries(attempts))
    results[name] = await Promise.resolve().then(attempt).then((value) => 'GOT ' + value, (error) => 'failed ' + error.name);
  document.getElementById('results').textContent = JSON.stringify(results);
})();
</script>`;

describe('an HTML page proxied from an upstream', () => {
  const headers = ['Content-Type: text/html', "Content-Security-Policy: script-src 'unsafe-inline'"];
  const upstream = ofBrowserSuite(() =>
    startRawUpstream((_request, socket) => socket.write(rawResponse('200 OK', headers, HOSTILE))),
  );
  const dashboard = ofBrowserSuite(() =>
    startDashboard({
      storeFromSandbox: true,
      env: { IDENTITY_URL: upstream.url, IDENTITY_ADMIN_URL: upstream.url },
    }),
  );
  before(async () => {
    const json = { key: 'some.setting', value: 'PROTECTED-VALUE' };
    const session = await dashboard.signIn('admin');
    assert.equal((await dashboard.call('/api/settings', { session, json })).status, 201);
  });

  it('runs in an opaque origin, and cannot reach the dashboard’s data, cookies or storage', async () => {
    const session = await dashboard.signIn('admin');
    await visiting({ origins: originsOf(dashboard) }, async ({ context, page, problems }) => {
      await context.addCookies([
        { name: 'dashboard-session', value: session, url: dashboard.baseUrl, httpOnly: true, sameSite: 'Strict' },
      ]);
      for (const prefix of ['identity', 'identity-admin']) {
        await page.goto(`${dashboard.baseUrl}/api/${prefix}/page`);
        await page.waitForFunction(() => document.getElementById('results')?.textContent !== 'running');
        const text = (await page.locator('#results').textContent()) ?? '';
        const results = JSON.parse(text) as Record<string, string>;
        assert.equal(results.origin, 'null', prefix);
        for (const attempt of ['fetch', 'xhr', 'frame', 'cookies', 'storage', 'worker'])
          assert.match(results[attempt] ?? '', /^failed /, `${prefix}, ${attempt}: ${results[attempt]}`);
        assert.doesNotMatch(text, /PROTECTED|some\.setting/);
      }
      await page.goto(`${dashboard.baseUrl}/settings`);
      await page.getByText('some.setting').first().waitFor();
      // The browser reports each blocked attempt of the hostile page as an error.
      problems.length = 0;
    });
  });
});
