import assert from 'node:assert/strict';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Page,
} from 'playwright-core';
import type { Role } from '../../shared/capabilities.ts';
import type { Dashboard } from './dashboard.ts';
import { type Closable, ofSuite } from './of-suite.ts';
import { findTool } from './tools.ts';

/** Disables Chromium's own traffic, such as updates, QUIC probes and synchronisation. */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let launched: Promise<Browser> | undefined;

/** One browser for the process, in an empty profile. It ends with the process. */
const browser = (): Promise<Browser> => {
  launched ??= chromium.launch({ executablePath: findTool('chromium'), headless: true, args: ARGS });
  return launched;
};

/** Call it first in a suite: without Chromium the suite is reported as skipped. */
export const needsChromium = (): unknown =>
  before(function () {
    if (findTool('chromium') === undefined) this.skip();
  });

/** The same as `ofSuite`, for a suite that needs Chromium. */
export function ofBrowserSuite<T extends Closable>(start: () => Promise<T>): T {
  needsChromium();
  return ofSuite(start);
}

export interface Visit {
  context: BrowserContext;
  page: Page;
  /** Unexpected problems so far. */
  problems: string[];
  /** Declares an error response that the test provokes: Chromium prints each one as a console error. */
  expect(status: number, path: string | RegExp): void;
}

export interface VisitOptions {
  /** Origins that requests may go to. */
  origins: readonly string[];
  colorScheme?: 'light' | 'dark';
  viewport?: { width: number; height: number };
  /** Reuses the cleared page of an earlier visit to the first origin, which halves the time. */
  warm?: boolean;
}

const newContext = async (browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> => {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(90_000);
  await context.addInitScript(() =>
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
      throw new Error(`policy report: ${violatedDirective} ${blockedURI} ${sourceFile}`);
    }),
  );
  return context;
};

/**
 * Calls `work` with a page that has no cookies, storage or history.
 * @throws AssertionError afterwards, if the content security policy was violated, the console has an error, an exception
 * was not caught, or a request went to an origin that is not listed
 */
export async function visiting(options: VisitOptions, work: (visit: Visit) => Promise<void>): Promise<void> {
  const { origins, colorScheme = 'light', viewport = { width: 1280, height: 900 }, warm = false } = options;
  const [origin = ''] = origins;
  if (!warm) {
    const context = await newContext(await browser(), { colorScheme, viewport });
    try {
      await failingOnProblems({ context, page: await context.newPage() }, origins, work);
    } finally {
      await context.close();
    }
    return;
  }
  const reusable = await acquirePage(await browser(), origin);
  try {
    await reusable.page.setViewportSize(viewport);
    await reusable.page.emulateMedia({ colorScheme });
    await failingOnProblems(reusable, origins, work);
  } catch (error) {
    await reusable.context.close();
    throw error;
  }
  await releasePage(reusable, origins);
}

async function failingOnProblems(
  { context, page }: Pick<Visit, 'context' | 'page'>,
  origins: readonly string[],
  work: (visit: Visit) => Promise<void>,
): Promise<void> {
  const problems: string[] = [];
  const failures: { status: number; url: string; problem: string }[] = [];
  // The overview, where a sign-in starts, requests its data along with the session.
  const expected: { status: number; path: string | RegExp }[] = [
    { status: 401, path: '/api/auth/session' },
    { status: 401, path: /^\/api\/dashboard\// },
    // Every page of an administrator requests the status of the services.
    { status: 401, path: '/api/services' },
  ];
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (/^https?:$/.test(protocol) && !origins.includes(origin)) problems.push(`foreign request: ${request.url()}`);
  });
  context.on('weberror', (error) => problems.push(`uncaught: ${error.error().stack}`));
  context.on('console', (message) => {
    if (message.type() !== 'error') return;
    const [, status] = /responded with a status of (\d+)/.exec(message.text()) ?? [];
    const { url } = message.location();
    const problem = `console: ${message.text()} (${url})`;
    if (status === undefined) problems.push(problem);
    else failures.push({ status: Number(status), url, problem });
  });
  await work({ context, page, problems, expect: (status, path) => void expected.push({ status, path }) });
  // At the end, because a test may declare a response after the page has received it.
  const unexpected = failures.filter(
    ({ status, url }) => !expected.some((response) => response.status === status && isPathOf(response.path, url)),
  );
  assert.deepEqual([...problems, ...unexpected.map(({ problem }) => problem)], []);
}

const isPathOf = (path: string | RegExp, url: string): boolean => {
  const { pathname } = new URL(url);
  return typeof path === 'string' ? pathname === path : path.test(pathname);
};

/** A page that the next visit reuses: its renderer is warm, its contents are cleared. */
interface ReusablePage {
  context: BrowserContext;
  page: Page;
  protocol: CDPSession;
  /** The origin of the visited dashboard. Visits to another dashboard cannot use the cached files. */
  origin: string;
}

let idlePage: ReusablePage | undefined;

/** The idle page of this dashboard, or a new one. It is used by one visit until `releasePage`. */
async function acquirePage(browser: Browser, origin: string): Promise<ReusablePage> {
  const idle = idlePage;
  idlePage = undefined;
  if (idle?.origin === origin) return idle;
  await idle?.context.close();
  const context = await newContext(browser);
  const page = await context.newPage();
  return { context, page, protocol: await context.newCDPSession(page), origin };
}

/**
 * Removes what a visit left behind: routes, listeners, further tabs, cookies, permissions, storage and history. An
 * installed clock cannot be removed, so the page is closed then.
 * @param visited the origins that may have stored something; only the dashboard's pages use session storage
 */
async function releasePage(reusable: ReusablePage, visited: readonly string[]): Promise<void> {
  const { context, page, protocol } = reusable;
  for (const emitter of [context, page]) for (const event of EVENTS) emitter.removeAllListeners(event);
  await Promise.all([context.unrouteAll({ behavior: 'ignoreErrors' }), page.unrouteAll({ behavior: 'ignoreErrors' })]);
  for (const tab of context.pages()) if (tab !== page) await tab.close();
  // Cleared from another page, because a page may still store something while it unloads.
  await page.goto(`${reusable.origin}${SCRIPTLESS_PATH}`);
  const hasFakeClock = await page.evaluate(() => {
    sessionStorage.clear();
    return !String(setTimeout).includes('[native code]');
  });
  if (hasFakeClock) {
    await context.close();
    return;
  }
  for (const origin of visited) await protocol.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await context.clearCookies();
  await context.clearPermissions();
  await protocol.send('Page.resetNavigationHistory');
  await page.mouse.move(0, 0);
  if (idlePage === undefined) idlePage = reusable;
  else await context.close();
}

const EVENTS = ['request', 'response', 'console', 'weberror', 'dialog', 'download', 'framenavigated'] as const;

/** The path of an error response, which has no script. Fulfilling a route instead would disable the browser's cache. */
const SCRIPTLESS_PATH = '/api/nothing';

/** The origins that a page may send requests to: the dashboard's and its OAuth server's. */
export const originsOf = (dashboard: Dashboard): string[] => [
  new URL(dashboard.baseUrl).origin,
  new URL(dashboard.sandbox.environment.AUTH_URL ?? '').origin,
];

/** Fills in and submits the sandbox's sign-in page, which must be open or loading. */
export async function submitCredentials(page: Page, operator: { email: string; password: string }): Promise<void> {
  await page.getByLabel('E-mail or username').fill(operator.email);
  await page.getByLabel('Password').fill(operator.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Opens a page of the app without a session, and signs in. */
export async function signInAt(page: Page, dashboard: Dashboard, role: Role, path = '/dashboard'): Promise<void> {
  await page.goto(`${dashboard.baseUrl}${path}`);
  await submitCredentials(page, dashboard.operator(role));
  await page
    .getByRole('navigation', { name: 'Pages' })
    .or(page.getByRole('button', { name: 'Navigation' }))
    .first()
    .waitFor();
}

export interface DisplayOptions extends Pick<VisitOptions, 'colorScheme' | 'viewport'> {
  heading?: string;
  /** Runs before the page is opened. */
  prepare?: ((visit: Visit) => Promise<unknown>) | undefined;
}

/** Opens a page of the app with nothing but a session cookie, and calls `work` once its heading (by default any) is visible. */
export const signedInVisit = (
  dashboard: Dashboard,
  session: string,
  { path, heading, prepare, ...display }: { path: string } & DisplayOptions,
  work: (visit: Visit) => Promise<void>,
): Promise<void> =>
  visiting({ origins: originsOf(dashboard), warm: true, ...display }, async (visit) => {
    const { context, page } = visit;
    await context.addCookies([
      { name: 'dashboard-session', value: session, url: dashboard.baseUrl, httpOnly: true, sameSite: 'Strict' },
    ]);
    await prepare?.(visit);
    await page.goto(`${dashboard.baseUrl}${path}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    // React runs effects, such as adding key listeners, in a task after it has rendered.
    await page.evaluate(async () => {
      for (let task = 0; task < 3; task += 1) await new Promise((resolve) => setTimeout(resolve));
    });
    await work(visit);
  });
