import assert from 'node:assert/strict';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { leavePage, takePage } from './kept-page.ts';
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
  timeZone?: string;
  /** The page of an earlier visit to the first origin may serve again: emptied, in half the time. */
  warm?: boolean;
}

const newContext = async (browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> => {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(10_000);
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
  const { origins, colorScheme = 'light', viewport = { width: 1280, height: 900 }, timeZone, warm = false } = options;
  const [origin = ''] = origins;
  if (!warm || timeZone !== undefined) {
    const context = await newContext(await browser(), { colorScheme, viewport, timezoneId: timeZone });
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
