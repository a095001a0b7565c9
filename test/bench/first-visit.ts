import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import type { Dashboard, startDashboard } from '../support/dashboard.ts';
import { findTool } from '../support/tools.ts';

const CPU_SLOWDOWN = 4;
const TIMEOUT_MS = 60_000;
/** Long enough for the page to settle after the first row. */
const SETTLE_MS = 3_000;
const PEOPLE = 60;

/** The figures of one visit to the list of identities. */
export interface Visit extends MainThread {
  /** Milliseconds from the navigation to the first row, by the page's own clock. */
  firstRow: number;
  /** Scripts requested before the first row. */
  scripts: number;
  /** All requests before the first row, including that for the page. */
  requests: number;
  /** The size of those scripts, compressed by gzip. */
  scriptKilobytes: number;
}

/** A cold visit has nothing in the cache, a warm one all files and the compiled scripts. */
export type Visits = Record<'cold' | 'warm', Visit[]>;

/**
 * Visits the built apps of several checkouts in turn, so that other load on the machine affects all of them equally.
 * Each runs with its own sandbox, in Chromium with a slower processor.
 * @param checkouts folders by name, each with a build
 */
export async function visitsOf(checkouts: Record<string, string>, count: number): Promise<Record<string, Visits>> {
  const browser = await chromium.launch({
    executablePath: findTool('chromium'),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  const subjects = await Promise.all(Object.entries(checkouts).map(async ([name, folder]) => subjectAt(name, folder)));
  try {
    const visits = Object.fromEntries(subjects.map(({ name }) => [name, { cold: [], warm: [] } as Visits]));
    for (let round = 0; round < count; round += 1) {
      for (const subject of subjects) {
        const context = await signedInContext(browser, subject.dashboard, subject.session);
        visits[subject.name]?.cold.push(await visit(browser, context, subject));
        // Chromium caches compiled scripts during the second visit, and uses them from the third one on.
        await visit(browser, context, subject);
        visits[subject.name]?.warm.push(await visit(browser, context, subject));
        await context.close();
      }
    }
    return visits;
  } finally {
    await browser.close();
    for (const { dashboard } of subjects) await dashboard.close();
  }
}

interface Subject {
  name: string;
  dashboard: Dashboard;
  session: string;
  /** Compressed sizes in bytes, by file name. */
  sizes: ReadonlyMap<string, number>;
}

async function subjectAt(name: string, folder: string): Promise<Subject> {
  const support = pathToFileURL(join(folder, 'test/support/dashboard.ts')).href;
  const { startDashboard: start } = (await import(support)) as { startDashboard: typeof startDashboard };
  const dashboard = await start({ sandbox: { people: PEOPLE } });
  const assets = join(folder, 'dist/client/assets');
  const sizes = readdirSync(assets)
    .filter((file) => file.endsWith('.js.gz'))
    .map((file) => [file.slice(0, -'.gz'.length), statSync(join(assets, file)).size] as const);
  return { name, dashboard, session: await dashboard.signIn('admin'), sizes: new Map(sizes) };
}

async function signedInContext(browser: Browser, dashboard: Dashboard, session: string): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const value = { name: 'dashboard-session', value: session, url: dashboard.baseUrl, sameSite: 'Strict' as const };
  await context.addCookies([value]);
  return context;
}

async function visit(browser: Browser, context: BrowserContext, { dashboard, sizes }: Subject): Promise<Visit> {
  const page = await context.newPage();
  await page.addInitScript(FIRST_ROW);
  await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  const mainThread = await traced(browser, FIRST_ROW_MARK, async () => {
    // The page reports its mark, because polling would slow it down.
    const marked = page.waitForEvent('console', {
      predicate: (message) => message.text() === FIRST_ROW_MARK,
      timeout: TIMEOUT_MS,
    });
    await page.goto(`${dashboard.baseUrl}/identities`, { waitUntil: 'commit' });
    await marked;
    await page.waitForTimeout(SETTLE_MS);
  });
  const { scripts, ...figures } = await page.evaluate<{ firstRow: number; scripts: string[]; requests: number }>(
    FIGURES,
  );
  await page.close();
  const bytes = scripts.reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0);
  return { ...mainThread, ...figures, scripts: scripts.length, scriptKilobytes: bytes / 1_000 };
}

const FIRST_ROW_MARK = 'first row';

/**
 * Marks the frame that displays the first row. This is text, because compiled code refers to helpers that the page
 * lacks.
 */
const FIRST_ROW = `
  new MutationObserver((_, observer) => {
    if (document.querySelector('tr[data-row]') === null) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => {
      performance.mark('${FIRST_ROW_MARK}');
      console.debug('${FIRST_ROW_MARK}');
    }));
  }).observe(document, { childList: true, subtree: true });
`;

/** The figures of a visit, computed in the page. */
const FIGURES = `(() => {
  const [{ startTime: firstRow }] = performance.getEntriesByName('${FIRST_ROW_MARK}');
  const before = performance.getEntriesByType('resource').filter(({ startTime }) => startTime < firstRow);
  const files = before.map(({ name }) => new URL(name).pathname.split('/').pop());
  return { firstRow, scripts: files.filter((file) => file.endsWith('.js')), requests: before.length + 1 };
})()`;

/** The work of a page's main thread in milliseconds, by its own time unless stated, which excludes other load. */
interface MainThread {
  /** The total until the mark. */
  busy: number;
  /** Tasks over 50 ms, from the navigation to the end. */
  tasks: number[];
  /** Tasks over 50 ms of wall-clock time, from the navigation to the end. */
  tasksByClock: number[];
}

/** An event in Chromium's traces. Complete ones have durations in microseconds by the clock (`dur`) and of the thread (`tdur`). */
interface TraceEvent {
  name: string;
  cat: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  tdur?: number;
}

/** `devtools.timeline` is absent because its events record stacks, for whose lines scripts are parsed a second time. */
const CATEGORIES = 'disabled-by-default-devtools.timeline,blink.user_timing';
const LONG_MS = 50;

/** @param mark the name of a `performance.mark` that the page sets once during the step */
async function traced(browser: Browser, mark: string, step: () => Promise<void>): Promise<MainThread> {
  const session = await browser.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => void events.push(...(value as unknown as TraceEvent[])));
  await session.send('Tracing.start', { categories: CATEGORIES, transferMode: 'ReportEvents' });
  await step();
  const complete = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()));
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  return mainThreadOf(events, mark);
}

function mainThreadOf(events: readonly TraceEvent[], mark: string): MainThread {
  const marked = events.find(({ name, cat }) => name === mark && cat.includes('blink.user_timing'));
  if (marked === undefined) throw new Error(`The page did not set its mark: ${mark}`);
  const tasks = events.filter(
    ({ name, ph, pid, tid }) => name === 'RunTask' && ph === 'X' && pid === marked.pid && tid === marked.tid,
  );
  const long = (values: number[]): number[] => values.filter((ms) => ms > LONG_MS);
  return {
    busy: sum(tasks.filter(({ ts }) => ts < marked.ts).map(({ tdur = 0 }) => tdur)) / 1_000,
    tasks: long(tasks.map(({ tdur = 0 }) => tdur / 1_000)),
    tasksByClock: long(tasks.map(({ dur = 0 }) => dur / 1_000)),
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
