import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { findTool } from '../support/tools.ts';
import { signedInContext } from './first-visit.ts';

/** Two full pages; the sandbox's operators come on top. */
const PEOPLE = 500;
const ROWS = 250;
const SLOWED = 4;
/** Between the pressing of a key or button and its release. */
const HUMAN = { delay: 60 };

/** Tasks over 50 ms in the browser's main thread, in milliseconds, by what was done. */
export interface RowsRun {
  /** From 25 rows to 250, by the choice of rows on a page. */
  grow: number[];
  /** To the next page of 250. */
  turn: number[];
  /** Every row chosen at once. */
  choose: number[];
}

/**
 * What a page of 250 identities asks of a slow machine: the built app on the sandbox, in Chromium with its processor
 * slowed by four. Needs a build.
 */
export async function identityRows(count: number): Promise<RowsRun[]> {
  const dashboard = await startDashboard({ sandbox: { people: PEOPLE } });
  const browser = await chromium.launch({
    executablePath: findTool('chromium'),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  try {
    const session = await dashboard.signIn('admin');
    const runs: RowsRun[] = [];
    for (let run = 0; run < count; run += 1) {
      runs.push(await oneRun(browser, dashboard, session));
    }
    return runs;
  } finally {
    await browser.close();
    await dashboard.close();
  }
}

async function oneRun(browser: Browser, dashboard: Dashboard, session: string): Promise<RowsRun> {
  const context = await signedInContext(browser, dashboard, session);
  const page = await context.newPage();
  await page.goto(`${dashboard.baseUrl}/identities`);
  await page.locator('tr[data-row]').nth(24).waitFor();
  const next = await centreOf(page.getByRole('button', { name: 'Next page' }));
  const all = await centreOf(page.getByLabel('Select all rows of this page'));
  await page.getByLabel('Rows on a page').focus();
  await page.evaluate(OBSERVER);
  await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
  const grow = await longTasks(page, ALL_ROWS, () => page.keyboard.type(String(ROWS), HUMAN));
  await page.mouse.move(...next);
  const turn = await longTasks(page, ALL_ROWS, () => page.mouse.click(...next, HUMAN));
  await page.mouse.move(...all);
  const choose = await longTasks(page, ALL_CHOSEN, () => page.mouse.click(...all, HUMAN));
  await context.close();
  return { grow, turn, choose };
}

async function centreOf(element: Locator): Promise<[x: number, y: number]> {
  const box = await element.boundingBox();
  if (box === null) throw new Error('what is to be pressed is not shown');
  return [box.x + box.width / 2, box.y + box.height / 2];
}

const ALL_ROWS = `document.getElementsByTagName('tr').length === ${ROWS + 1} && firstRow() !== first`;
const ALL_CHOSEN = `document.querySelectorAll('tr[aria-selected=true]').length === ${ROWS}`;

/** As text: what is compiled here calls things that the page has not. */
const OBSERVER = `
  globalThis.tasks = [];
  globalThis.firstRow = () => document.querySelector('tr[data-row] a').href + location.search;
  globalThis.noted = new PerformanceObserver((list) => tasks.push(...list.getEntries()));
  noted.observe({ type: 'longtask' });
`;

/**
 * Asks of the page only before and after: whoever looks into it meanwhile, as Playwright does while it waits, makes the
 * long tasks that are to be found.
 * @param done an expression of the page
 */
async function longTasks(page: Page, done: string, step: () => Promise<void>): Promise<number[]> {
  await page.waitForTimeout(500);
  await page.evaluate('globalThis.first = firstRow(); noted.takeRecords(); tasks.length = 0');
  const settled = page.evaluate<number[]>(`new Promise((resolve) => {
    const timer = setInterval(() => {
      if (!(${done})) return;
      clearInterval(timer);
      // What the step leaves for later belongs to it.
      setTimeout(() => resolve([...tasks, ...noted.takeRecords()].map(({ duration }) => duration)), 500);
    }, 200);
  })`);
  await step();
  return settled;
}
