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
import { findTool } from './tools.ts';

/** Chromium's own traffic (updates, QUIC probes, synchronisation) has no place in a test on loopback. */
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

/** One browser for the process, in an empty profile of its own; it ends with the process. */
const browser = (): Promise<Browser> => {
  launched ??= chromium.launch({ executablePath: findTool('chromium'), headless: true, args: ARGS });
  return launched;
};

/** First thing in a suite's `before`: without Chromium on the machine the suite is named as skipped. */
export function needsChromium(context: Mocha.Context): void {
  if (findTool('chromium') === undefined) context.skip();
}

export interface Visit {
  context: BrowserContext;
  page: Page;
  /** What went wrong so far and was not expected. */
  problems: string[];
  /** Answers that this test provokes: the browser itself prints each failed one as an error. */
  expect(status: number, path: string | RegExp): void;
}

export interface VisitOptions {
  /** Origins that requests may go to. */
  origins: readonly string[];
  colorScheme?: 'light' | 'dark';
  viewport?: { width: number; height: number };
  /** The page of an earlier visit to the first origin may serve again: emptied, in half the time. */
  warm?: boolean;
}

const newContext = async (browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> => {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(25_000);
  await context.addInitScript(() =>
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
      throw new Error(`policy report: ${violatedDirective} ${blockedURI} ${sourceFile}`);
    }),
  );
  return context;
};

/**
 * A browser context with one page, which has seen nothing. Afterwards it fails on any report of the content security
 * policy, any console error or uncaught exception, and any request to an origin that is not listed.
 */
export async function visiting(options: VisitOptions, work: (visit: Visit) => Promise<void>): Promise<void> {
  const { origins, colorScheme = 'light', viewport = { width: 1280, height: 900 }, warm = false } = options;
  const [origin = ''] = origins;
  if (!warm) {
    const context = await newContext(await browser(), { colorScheme, viewport });
    try {
      await watching({ context, page: await context.newPage() }, origins, work);
    } finally {
      await context.close();
    }
    return;
  }
  const taken = await takePage(await browser(), origin, newContext);
  try {
    await taken.page.setViewportSize(viewport);
    await taken.page.emulateMedia({ colorScheme });
    await watching(taken, origins, work);
  } catch (error) {
    await taken.context.close();
    throw error;
  }
  await leavePage(taken, origins);
}

async function watching(
  { context, page }: Pick<Visit, 'context' | 'page'>,
  origins: readonly string[],
  work: (visit: Visit) => Promise<void>,
): Promise<void> {
  const problems: string[] = [];
  const failures: { status: number; url: string; problem: string }[] = [];
  // The overview, where a sign-in begins, asks for its own beside the session.
  const expected: { status: number; path: string | RegExp }[] = [
    { status: 401, path: '/api/auth/session' },
    { status: 401, path: /^\/api\/dashboard\// },
    // Every page of an administrator asks for what is down.
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
  // Only now: a test may say what it expects after the page has asked for it.
  const unexpected = failures.filter(
    ({ status, url }) => !expected.some((one) => one.status === status && names(one.path, url)),
  );
  assert.deepEqual([...problems, ...unexpected.map(({ problem }) => problem)], []);
}

const names = (path: string | RegExp, url: string): boolean => {
  const { pathname } = new URL(url);
  return typeof path === 'string' ? pathname === path : path.test(pathname);
};

/** A page that one visit leaves to the next: its renderer is warm, what a visit put into it is gone. */
interface KeptPage {
  context: BrowserContext;
  page: Page;
  protocol: CDPSession;
  /** Of which dashboard: files of another one are others to the browser, and nothing of it stays. */
  origin: string;
}

let kept: KeptPage | undefined;

/**
 * The page that the last visit to this dashboard left, in its context, or a fresh one; nobody else has it until it is left.
 * @param make a context as all visits have it
 */
async function takePage(
  browser: Browser,
  origin: string,
  make: (browser: Browser) => Promise<BrowserContext>,
): Promise<KeptPage> {
  const found = kept;
  kept = undefined;
  if (found?.origin === origin) return found;
  await found?.context.close();
  const context = await make(browser);
  const page = await context.newPage();
  return { context, page, protocol: await context.newCDPSession(page), origin };
}

/**
 * Takes away what a visit left: routes, listeners, further tabs, cookies, permissions, storage and history. A clock that it
 * installed cannot be taken away: then the page is closed.
 * @param visited the origins that it may have been on; only the dashboard's own pages store anything for a tab
 */
async function leavePage(taken: KeptPage, visited: readonly string[]): Promise<void> {
  const { context, page, protocol } = taken;
  for (const emitter of [context, page]) for (const event of EVENTS) emitter.removeAllListeners(event);
  await Promise.all([context.unrouteAll({ behavior: 'ignoreErrors' }), page.unrouteAll({ behavior: 'ignoreErrors' })]);
  for (const other of context.pages()) if (other !== page) await other.close();
  // A page may still store something while it is left, so what it stored is taken away from another page in its place.
  await page.goto(`${taken.origin}${BARE_PAGE}`);
  const clocked = await page.evaluate(() => {
    sessionStorage.clear();
    return !String(setTimeout).includes('[native code]');
  });
  if (clocked) {
    await context.close();
    return;
  }
  for (const origin of visited) await protocol.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await context.clearCookies();
  await context.clearPermissions();
  await protocol.send('Page.resetNavigationHistory');
  await page.mouse.move(0, 0);
  if (kept === undefined) kept = taken;
  else await context.close();
}

const EVENTS = ['request', 'response', 'console', 'weberror', 'dialog', 'download', 'framenavigated'] as const;

/** Something of the same origin that has no script: a refusal. A page held back and answered here would switch the cache off. */
const BARE_PAGE = '/api/nothing';

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

export interface VisitLooks extends Pick<VisitOptions, 'colorScheme' | 'viewport'> {
  heading?: string;
  /** Before the page is opened. */
  given?: ((visit: Visit) => Promise<unknown>) | undefined;
}

/** A page of the app in a context that has nothing but a session cookie; `work` begins when its (or any) heading stands. */
export const signedInVisit = (
  dashboard: Dashboard,
  session: string,
  { path, heading, given, ...look }: { path: string } & VisitLooks,
  work: (visit: Visit) => Promise<void>,
): Promise<void> =>
  visiting({ origins: originsOf(dashboard), warm: true, ...look }, async (visit) => {
    const { context, page } = visit;
    await context.addCookies([
      { name: 'dashboard-session', value: session, url: dashboard.baseUrl, httpOnly: true, sameSite: 'Strict' },
    ]);
    await given?.(visit);
    await page.goto(`${dashboard.baseUrl}${path}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    // React runs effects, such as listening to keys, in a task after what they belong to is there.
    await page.evaluate(async () => {
      for (let task = 0; task < 3; task += 1) await new Promise((resolve) => setTimeout(resolve));
    });
    await work(visit);
  });
