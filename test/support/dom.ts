import { Window } from 'happy-dom';

// A timer of the app may stop listening after its document has gone.
Object.assign(globalThis, { removeEventListener: () => {} });

/**
 * Puts a document's names among the globals, as React expects them. React itself must be imported after the first call.
 * @param url the page's address; relative requests go there, through Node's own fetch
 * @returns the window, and what takes everything back
 */
export function pretendBrowser(url: string): { window: Window; close: () => Promise<void> } {
  const window = new Window({ url });
  const { fetch } = globalThis;
  // It does not know the element `search` yet, which React would report.
  Object.defineProperty(window.HTMLUnknownElement.prototype, Symbol.toStringTag, {
    configurable: true,
    get: (): string => 'HTMLElement',
  });
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
