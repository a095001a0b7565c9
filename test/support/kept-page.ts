import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';

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
export async function takePage(
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
export async function leavePage(taken: KeptPage, visited: readonly string[]): Promise<void> {
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
