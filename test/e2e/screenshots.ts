// Takes the README's screenshots, in light and dark: `node test/e2e/screenshots.ts`, after a build. The names
// of the sandbox's people need fonts for their scripts (Debian's fonts-noto-core and fonts-noto-cjk).
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { startDashboard } from '../support/dashboard.ts';
import { findTool } from '../support/tools.ts';

const folder = fileURLToPath(new URL('./screenshots/', import.meta.url));

const SETTINGS = [
  { key: 'branding.product_name', value: 'Example Cloud', category: 'branding' },
  { key: 'branding.support_url', value: 'https://support.example.org', category: 'branding' },
  { key: 'mail.from', value: 'no-reply@example.org', category: 'mail' },
  { key: 'mail.smtp.host', value: 'smtp.example.org', category: 'mail' },
  { key: 'mail.smtp.password', value: 'not-displayed', encrypted: true, category: 'mail' },
  { key: 'social.google.client_id', value: '407408718192.apps.example.org', category: 'social' },
  { key: 'social.google.client_secret', value: 'not-displayed', encrypted: true, category: 'social' },
  { key: 'social.google.enabled', value: 'true', category: 'social' },
  { key: 'upstream.identity-admin.api_key', value: 'not-displayed', encrypted: true, category: 'upstream' },
];

const key = (): string => randomBytes(32).toString('base64');
const dashboard = await startDashboard({
  sandbox: { people: 200 },
  env: { SESSION_SIGNING_KEY: key(), ENCRYPTION_KEY: key() },
});
const browser = await chromium.launch({
  executablePath: findTool('chromium'),
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const admin = await dashboard.signIn('admin');
  for (const json of SETTINGS) await dashboard.call('/api/settings', { session: admin, json });
  await screenshot('sign-in', '/dashboard', 'Sign in');
  await screenshot('overview', '/dashboard', 'Overview', admin, 1300);
  await screenshot('identities', '/identities', 'Identities', admin);
  await screenshot('sessions', '/sessions', 'Sessions', admin);
  await screenshot('clients', '/oauth/clients', 'Clients', admin);
  await screenshot('client', '/oauth/clients/web-shop', 'Web shop', admin);
  await screenshot('settings', '/settings', 'Settings', admin);
} finally {
  await browser.close();
  await dashboard.close();
}

async function screenshot(name: string, path: string, heading: string, session?: string, height = 900): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({
      viewport: { width: 1440, height },
      reducedMotion: 'reduce',
      colorScheme,
    });
    if (session !== undefined)
      await context.addCookies([
        { name: 'dashboard-session', value: session, url: dashboard.baseUrl, sameSite: 'Strict' },
      ]);
    // The screenshot of the sessions has the map open.
    await context.addInitScript(() => localStorage.setItem('sessions.map', 'open'));
    const page = await context.newPage();
    await page.goto(`${dashboard.baseUrl}${path}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: `${folder}${name}${colorScheme === 'dark' ? '-dark' : ''}.png` });
    await context.close();
  }
}
