import { Window } from 'happy-dom';

// A timer of the app may stop listening after its document has gone.
Object.assign(globalThis, { removeEventListener: () => {} });

/**
 * Puts a document's names among the globals, as React expects them. React itself must be imported after the first call.
 * @param url the page's address; relative requests go there, through Node's own fetch
 * @param storage of the browser, if it is not there for the page: how the two are defined instead
 * @returns the window, and what takes everything back
 */
export function pretendBrowser(
  url: string,
  storage?: PropertyDescriptor,
): { window: Window; close: () => Promise<void> } {
  const window = new Window({ url });
  const { fetch } = globalThis;
  // It does not know the element `search` yet, which React would report.
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
  // What Node has under the same name, such as `URL` or `setTimeout`, stays Node's.
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

/** Long enough that no page waits for it while it is loaded, in milliseconds. */
const LONG_MS = 20_000;

interface LongTimer {
  at: number;
  everyMs: number | undefined;
  run: () => void;
}

/**
 * Holds timers of twenty seconds and more, and the clock with them, until a test lets time pass; shorter ones run as always.
 * @returns how to let milliseconds pass, and what takes everything back
 */
export function holdLongTimers(): { pass: (ms: number) => void; restore: () => void } {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const { now } = Date;
  let passed = 0;
  const held = new Map<unknown, LongTimer>();
  const holding =
    (start: typeof setTimeout | typeof setInterval, repeats: boolean) =>
    (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]): unknown => {
      if (ms < LONG_MS) return start(run, ms, ...given);
      // A real timer stands for it: it can be told to let the process end.
      const timer = start(() => {}, 2 ** 31 - 1);
      held.set(timer, { at: passed + ms, everyMs: repeats ? ms : undefined, run: () => run(...given) });
      return timer;
    };
  const clearing =
    (clear: typeof clearTimeout) =>
    (timer: Parameters<typeof clearTimeout>[0]): void => {
      held.delete(timer);
      clear(timer);
    };
  Object.assign(globalThis, {
    setTimeout: holding(setTimeout, false),
    setInterval: holding(setInterval, true),
    clearTimeout: clearing(clearTimeout),
    clearInterval: clearing(clearInterval),
  });
  Date.now = () => now() + passed;
  return {
    pass(ms) {
      const end = passed + ms;
      for (;;) {
        const [next] = [...held].filter(([, { at }]) => at <= end).sort(([, one], [, other]) => one.at - other.at);
        if (next === undefined) break;
        const [timer, { at, everyMs, run }] = next;
        passed = at;
        if (everyMs === undefined) held.delete(timer);
        else held.set(timer, { at: at + everyMs, everyMs, run });
        run();
      }
      passed = end;
    },
    restore() {
      for (const timer of held.keys()) clearTimeout(timer as NodeJS.Timeout);
      Object.assign(globalThis, { setTimeout, setInterval, clearTimeout, clearInterval });
      Date.now = now;
    },
  };
}

/** What browsers give a page that may store nothing. */
export const NO_STORAGE: Readonly<Record<string, PropertyDescriptor>> = {
  refused: {
    get() {
      throw new DOMException('Access is denied for this document.', 'SecurityError');
    },
  },
  missing: { value: null },
  'without room': {
    value: {
      getItem: () => null,
      setItem() {
        throw new DOMException('There is no room.', 'QuotaExceededError');
      },
      removeItem() {},
      clear() {},
    },
  },
};
