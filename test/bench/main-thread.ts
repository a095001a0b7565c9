import type { Browser } from 'playwright-core';

/** A page's load on its main thread, in milliseconds of thread time, which excludes the rest of the machine. */
export interface MainThread {
  /** Total until the mark. */
  busy: number;
  /** Tasks over 50 ms, from the navigation to the end. */
  tasks: number[];
  /** The same in wall-clock time. */
  tasksByClock: number[];
}

/** Of Chromium's traces: complete events have a duration, in microseconds by the clock and of the thread. */
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

/** Without `devtools.timeline`, whose events record stacks: for their lines, scripts are parsed a second time. */
const CATEGORIES = 'disabled-by-default-devtools.timeline,blink.user_timing';
const LONG_MS = 50;

/** @param mark of the page (`performance.mark`), made once during the step */
export async function traced(browser: Browser, mark: string, step: () => Promise<void>): Promise<MainThread> {
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
  if (marked === undefined) throw new Error(`The page never came to its mark: ${mark}`);
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
