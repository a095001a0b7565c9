import type { Page } from 'playwright-core';
import type { Role } from '../../shared/capabilities.ts';
import { type Visit, type VisitOptions, visiting } from './browser.ts';
import type { Dashboard } from './dashboard.ts';

/** The dashboard's own origins and its OAuth server's: all that a page may talk to. */
export const originsOf = (dashboard: Dashboard): string[] => [
  new URL(dashboard.baseUrl).origin,
  new URL(dashboard.sandbox.environment.AUTH_URL ?? '').origin,
];

/** Fills in the sandbox's page, which must be shown or on its way. */
export async function submitCredentials(page: Page, operator: { email: string; password: string }): Promise<void> {
  await page.getByLabel('E-mail or username').fill(operator.email);
  await page.getByLabel('Password').fill(operator.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Opens a page of the app as a visitor, signs in on the way and arrives there. */
export async function signInAt(page: Page, dashboard: Dashboard, role: Role, path = '/dashboard'): Promise<void> {
  await page.goto(`${dashboard.baseUrl}${path}`);
  await submitCredentials(page, dashboard.operator(role));
  await page
    .getByRole('navigation', { name: 'Pages' })
    .or(page.getByRole('button', { name: 'Navigation' }))
    .first()
    .waitFor();
}

/** A page of the app in a context that has nothing but a session cookie; `work` begins when its (or any) heading stands. */
export const signedInVisit = (
  dashboard: Dashboard,
  session: string,
  { path, heading, ...look }: Pick<VisitOptions, 'colorScheme' | 'viewport'> & { path: string; heading?: string },
  work: (visit: Visit) => Promise<void>,
): Promise<void> =>
  visiting({ origins: originsOf(dashboard), warm: true, ...look }, async (visit) => {
    const { context, page } = visit;
    await context.addCookies([
      { name: 'dashboard-session', value: session, url: dashboard.baseUrl, httpOnly: true, sameSite: 'Strict' },
    ]);
    await page.goto(`${dashboard.baseUrl}${path}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await work(visit);
  });
