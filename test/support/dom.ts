import { Window } from 'happy-dom';

// A timer of the app may remove a listener when its document is gone.
Object.assign(globalThis, { removeEventListener: () => {} });

/**
 * Adds the globals of a browser, which React expects. React itself must be imported after the first call.
 * @param url address of the page, and base of relative requests, which use Node's own `fetch`
 * @param storage how `sessionStorage` and `localStorage` are defined, if the page may not use them
 * @returns the window, and `close`, which restores the globals
 */
export function simulateBrowser(
  url: string,
  storage?: PropertyDescriptor,
): { window: Window; close: () => Promise<void> } {
  const window = new Window({ url });
  const { fetch } = globalThis;
  // happy-dom does not know the element `search`, which React would report.
  Object.defineProperty(window.HTMLUnknownElement.prototype, Symbol.toStringTag, {
    configurable: true,
    get: (): string => 'HTMLElement',
  });
  // Mantine's text area waits for fonts.
  Object.assign(window.document, { fonts: new window.EventTarget() });
  const globals: Record<string, unknown> = {
    window,
    self: window,
    document: window.document,
    navigator: window.navigator,
    HTMLElement: window.HTMLElement,
    HTMLAnchorElement: window.HTMLAnchorElement,
    Node: window.Node,
    location: window.location,
    sessionStorage: window.sessionStorage,
    localStorage: window.localStorage,
    matchMedia: window.matchMedia.bind(window),
    scrollTo: () => {},
    scrollY: 0,
    history: window.history,
    ResizeObserver: window.ResizeObserver,
    requestAnimationFrame: window.requestAnimationFrame.bind(window),
    cancelAnimationFrame: window.cancelAnimationFrame.bind(window),
    addEventListener: window.addEventListener.bind(window),
    removeEventListener: window.removeEventListener.bind(window),
    CustomEvent: window.CustomEvent,
    fetch: (path: string, init?: RequestInit) => fetch(new URL(path, url), init),
    IS_REACT_ACT_ENVIRONMENT: true,
  };
  // Names that Node has too, such as `URL` or `setTimeout`, remain Node's.
  for (const name of Object.getOwnPropertyNames(window)) {
    if (!(name in globals) && !(name in globalThis)) globals[name] = window[name as keyof Window];
  }
  const replaced = Object.keys(globals).map(
    (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
  );
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  for (const name of storage === undefined ? [] : ['sessionStorage', 'localStorage'])
    Object.defineProperty(globalThis, name, { configurable: true, ...storage });
  return {
    window,
    async close() {
      await window.happyDOM.close();
      for (const [name, descriptor] of replaced) {
        if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
        else Object.defineProperty(globalThis, name, descriptor);
      }
    },
  };
}

/** No page waits for a timer of this length while it loads. */
const LONG_MS = 20_000;

interface LongTimer {
  at: number;
  everyMs: number | undefined;
  run: () => void;
}

/**
 * Stops timers of twenty seconds and more, and the clock, until a test lets time pass; shorter timers run as always.
 * @returns `pass`, which moves the clock on, and `restore`
 */
export function stopLongTimers(): { pass: (ms: number) => void; restore: () => void } {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const { now } = Date;
  let passed = 0;
  const stopped = new Map<unknown, LongTimer>();
  const starting =
    (start: typeof setTimeout | typeof setInterval, repeats: boolean) =>
    (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): unknown => {
      if (ms < LONG_MS) return start(run, ms, ...args);
      // A real timer, which has methods such as `unref`.
      const timer = start(() => {}, 2 ** 31 - 1);
      stopped.set(timer, { at: passed + ms, everyMs: repeats ? ms : undefined, run: () => run(...args) });
      return timer;
    };
  const clearing =
    (clear: typeof clearTimeout) =>
    (timer: Parameters<typeof clearTimeout>[0]): void => {
      stopped.delete(timer);
      clear(timer);
    };
  Object.assign(globalThis, {
    setTimeout: starting(setTimeout, false),
    setInterval: starting(setInterval, true),
    clearTimeout: clearing(clearTimeout),
    clearInterval: clearing(clearInterval),
  });
  Date.now = () => now() + passed;
  return {
    pass(ms) {
      const end = passed + ms;
      for (;;) {
        const [next] = [...stopped].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at);
        if (next === undefined) break;
        const [timer, { at, everyMs, run }] = next;
        passed = at;
        if (everyMs === undefined) stopped.delete(timer);
        else stopped.set(timer, { at: at + everyMs, everyMs, run });
        run();
      }
      passed = end;
    },
    restore() {
      for (const timer of stopped.keys()) clearTimeout(timer as NodeJS.Timeout);
      Object.assign(globalThis, { setTimeout, setInterval, clearTimeout, clearInterval });
      Date.now = now;
    },
  };
}

/** The storage of browsers in which a page cannot store anything. */
export const UNUSABLE_STORAGE: Readonly<Record<string, PropertyDescriptor>> = {
  blocked: {
    get() {
      throw new DOMException('Access is denied for this document.', 'SecurityError');
    },
  },
  missing: { value: null },
  full: {
    value: {
      getItem: () => null,
      setItem() {
        throw new DOMException('The storage is full.', 'QuotaExceededError');
      },
      removeItem() {},
      clear() {},
    },
  },
};
