import assert from 'node:assert/strict';
import { Worker } from 'node:worker_threads';
import {
  type BoundFunctions,
  configure,
  type queries as Queries,
  waitFor,
  waitForElementToBeRemoved,
  within,
} from '@testing-library/dom';
import type { UserEvent } from '@testing-library/user-event';
import type { Window } from 'happy-dom';
import { schemaCheck } from '../../client/features/identities/schema-check.ts';
import type { CheckRequest } from '../../client/features/identities/schema-check-worker.ts';
import type { CheckWorker } from '../../client/features/identities/traits-check.ts';
import type { Role } from '../../shared/capabilities.ts';
import { pretendBrowser } from './dom.ts';
import { eventually } from './eventually.ts';
import {
  type InterceptedDashboard,
  type InterceptedDashboardOptions,
  startInterceptedDashboard,
} from './intercepted-dashboard.ts';

/** A request of the page. */
export interface PageRequest {
  method: string;
  /** Path and query. */
  path: string;
  /** Text of the body; empty without one. */
  body: string;
}

/** The app in a simulated DOM: its own router, query client and pages, without layout, styles, cookies or policy. */
export interface App {
  window: Window;
  user: UserEvent;
  /** Queries over the whole document; `find…` and `within(…)` wait as long as a test may last. */
  screen: BoundFunctions<typeof Queries>;
  /** What the page has requested, oldest first. */
  requests: PageRequest[];
  /** Responds in the server's place; `undefined` passes the request on. */
  respond: (request: PageRequest) => Response | undefined | Promise<Response | undefined>;
  /** Files that the page has saved. */
  saved: { name: string; content: Blob }[];
  /** Where the page has gone by loading another document, such as `/api/auth/login`; `reload` for itself. */
  left: string[];
  /** Path and query of the page. */
  address(): string;
  /** Waits until `text` is shown somewhere in `place`. */
  shows(text: string | RegExp, place?: HTMLElement): Promise<HTMLElement>;
  /** Waits until `text` is shown nowhere. */
  hides(text: string | RegExp): Promise<void>;
  /** Presses the button of this name once it is there and enabled. */
  press(name: string | RegExp, place?: HTMLElement): Promise<void>;
  /** Replaces what is in the field of this label. */
  fill(label: string | RegExp, value: string, place?: HTMLElement): Promise<void>;
  /** Chooses an option of the list of this label, by its text. */
  choose(label: string | RegExp, option: string, place?: HTMLElement): Promise<void>;
}

interface AppOptions {
  /** Value of the session cookie. */
  session?: string;
  respond?: App['respond'];
  /** Name of the heading with which the page is there; any heading without it, and nothing is waited for with `null`. */
  heading?: string | RegExp | null;
  deployment?: 'customer' | 'workforce';
  /** How the browser's storage is defined, if it is not there for the page: one of `NO_STORAGE`. */
  storage?: PropertyDescriptor;
}

/** A dashboard for the tests of a suite, and its app in a simulated DOM. Its members are there from `before` on. */
interface AppOfSuite extends InterceptedDashboard {
  /** As an administrator, unless `role` says otherwise; the upstream is calm, and nothing of the test before is cached. */
  open(
    path: string,
    options: Omit<AppOptions, 'session'> & { role?: Extract<Role, 'admin' | 'viewer'> },
    work: (app: App) => Promise<void>,
  ): Promise<void>;
}

export function appOfSuite(options: InterceptedDashboardOptions = {}): AppOfSuite {
  const suite = {
    open(path, { role = 'admin', ...rest }, work) {
      suite.upstream.calm();
      suite.letMomentsPass();
      return withApp(suite.dashboard.url, path, { session: suite.sessions[role], ...rest }, work);
    },
  } as AppOfSuite;
  before(async () => void Object.assign(suite, await startInterceptedDashboard(options)));
  after(() => suite.close?.());
  return suite;
}

/** Whatever is waited for may come this late; a test has its own limit. */
const PATIENCE_MS = 90_000;

/**
 * Opens a page of the app and leaves it after `work`. Requests go to `server` with the session's cookie, unless `respond`
 * answers them. Fails on an error of React, on `console.error` and on an uncaught exception.
 * @param server origin of a dashboard; `http://dashboard.test` where `respond` answers everything
 */
export async function withApp(
  server: string,
  path: string,
  options: AppOptions,
  work: (app: App) => Promise<void>,
): Promise<void> {
  const { window, close } = pretendBrowser(`${server}${path}`, options.storage);
  const { document } = globalThis;
  document.documentElement.dataset['deployment'] = options.deployment ?? 'customer';
  // Imported now: these modules look at the document when they are evaluated.
  const { userEvent } = await import('@testing-library/user-event');
  const { createRoot } = await import('react-dom/client');
  const { MantineProvider } = await import('@mantine/core');
  const { environmentManager, QueryClientProvider } = await import('@tanstack/react-query');
  const { RouterProvider } = await import('@tanstack/react-router');
  const { createQueryClient } = await import('../../client/app/query-client.ts');
  const { createAppRouter } = await import('../../client/app/router.ts');
  const { mantine } = await import('../../client/theme.ts');
  const { sessionContinues } = await import('../../client/lib/sign-in.ts');
  sessionContinues();
  // Another file may have imported it before there was a window: it would poll nothing.
  environmentManager.setIsServer(() => typeof window === 'undefined');

  const app = newApp(window, userEvent.setup({ document, delay: null }), options);
  const left = new AbortController();
  const problems: unknown[] = [];
  const note = (error: unknown): void => void problems.push(error);
  const { error: print } = console;
  console.error = (...parts: unknown[]) => {
    // Node's own warnings come this way too.
    if (!String(parts[0]).startsWith('(node:')) note(parts.map(String).join(' '));
  };
  process.on('unhandledRejection', note);
  Object.assign(globalThis, {
    IS_REACT_ACT_ENVIRONMENT: false,
    reportError: note,
    fetch: fetchFor(app, server, { ...options, left: left.signal }),
    Worker: class {
      constructor() {
        // biome-ignore lint/correctness/noConstructorReturn: the page calls it with `new`
        return promptWorker();
      }
    },
  });
  const restoreUrl = observeLeaving(app);
  const queryClient = createQueryClient();
  const router = createAppRouter(queryClient);
  const root = createRoot(document.body.appendChild(document.createElement('div')), {
    onUncaughtError: note,
    onRecoverableError: note,
  });
  try {
    root.render(
      <MantineProvider {...mantine} env="test">
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>,
    );
    const { heading } = options;
    if (heading !== null) await app.screen.findByRole('heading', { level: 1, ...(heading && { name: heading }) });
    await effectsAreRun();
    await work(app);
    assert.deepEqual(problems, []);
  } finally {
    // Toasts outlive the page, so that the next test would see them.
    for (const button of app.screen.queryAllByLabelText('Dismiss')) button.click();
    // As a browser does, while there is a window for whoever waits for a response.
    left.abort();
    await queryClient.cancelQueries();
    // A page that is still loading uses the window when it arrives. Cleaning up continues even if it fails.
    await eventually(() => router.state.status, 'idle').catch(note);
    root.unmount();
    queryClient.clear();
    await effectsAreRun();
    // Dialogs set the focus in a timer.
    await new Promise((resolve) => setTimeout(resolve));
    restoreUrl();
    console.error = print;
    process.off('unhandledRejection', note);
    await close();
  }
}

/** React runs effects, such as listening to keys, in a task after what they belong to is in the document. */
async function effectsAreRun(): Promise<void> {
  for (let task = 0; task < 3; task += 1) await new Promise(setImmediate);
}

function newApp(window: Window, user: UserEvent, { respond = () => undefined }: AppOptions): App {
  configure({
    asyncUtilTimeout: PATIENCE_MS,
    getElementError: (message) => new Error(`${message}\n${document.body.textContent?.slice(0, 2_000)}`),
  });
  const screen = within(document.body);
  const at = (place?: HTMLElement) => (place === undefined ? screen : within(place));
  return {
    window,
    user,
    screen,
    requests: [],
    saved: [],
    left: [],
    respond,
    address: () => window.location.pathname + window.location.search,
    async shows(text, place) {
      const [found] = await at(place).findAllByText(text);
      await effectsAreRun();
      return found as HTMLElement;
    },
    hides: async (text) => {
      if (screen.queryAllByText(text).length > 0) await waitForElementToBeRemoved(() => screen.queryAllByText(text));
    },
    async press(name, place) {
      const button = await at(place).findByRole<HTMLButtonElement>('button', { name });
      await waitFor(() => assert.ok(!button.disabled, `the button ${name} is disabled`));
      await user.click(button);
    },
    async fill(label, value, place) {
      const field = await at(place).findByLabelText(label);
      await user.clear(field);
      if (value !== '') await user.paste(value);
    },
    async choose(label, option, place) {
      await user.selectOptions(await at(place).findByLabelText(label), option);
    },
  };
}

/** Notes what would load another document, and files that are saved. @returns what takes back its change of `URL` */
function observeLeaving(app: App): () => void {
  const { location } = app.window;
  const goTo = (address: string | URL): void => void app.left.push(String(address));
  Object.assign(location, { assign: goTo, replace: goTo, reload: () => goTo('reload') });
  const contents = new Map<string, Blob>();
  const { createObjectURL } = URL;
  URL.createObjectURL = (content: Blob) => {
    const address = createObjectURL(content);
    contents.set(address, content);
    return address;
  };
  app.window.addEventListener('click', (event) => {
    const link = (event.target as unknown as HTMLElement).closest('a');
    const content = contents.get(link?.href ?? '');
    if (link === null || content === undefined) return;
    event.preventDefault();
    app.saved.push({ name: link.download, content });
  });
  return () => void Object.assign(URL, { createObjectURL });
}

/**
 * `fetch` of the page, whose requests are paths: noted, answered by the test or by the server, and with the address that a
 * browser would give it. Whole addresses are requests of the test itself.
 */
function fetchFor(app: App, server: string, { session, left }: AppOptions & { left: AbortSignal }): typeof fetch {
  const { fetch } = globalThis;
  return async (input, init = {}) => {
    if (!String(input).startsWith('/')) return fetch(input, init);
    const url = new URL(String(input), app.window.location.href);
    const body = init.body == null ? '' : String(init.body);
    const request = { method: init.method ?? 'GET', path: url.pathname + url.search, body };
    app.requests.push(request);
    const signal = init.signal == null ? left : AbortSignal.any([left, init.signal]);
    const given = await Promise.race([app.respond(request), aborted(signal)]);
    if (given !== undefined) return Object.defineProperty(given, 'url', { value: url.href });
    const headers = new Headers(init.headers);
    headers.set('sec-fetch-site', 'same-origin');
    if (session !== undefined) headers.set('cookie', `dashboard-session=${session}`);
    return fetch(new URL(request.path, server), { ...init, headers, signal });
  };
}

/** Rejects once the request is aborted. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

/** The check of traits without a thread, for which the page might not wait on a busy machine. */
function promptWorker(): CheckWorker {
  const respond = (data: unknown): void =>
    queueMicrotask(() => worker.onmessage?.call(worker as globalThis.Worker, { data } as MessageEvent));
  const worker: CheckWorker = {
    postMessage({ schema, traits }: CheckRequest) {
      const check = schemaCheck(JSON.parse(schema));
      respond(traits.map((text) => check(JSON.parse(text))));
    },
    terminate: () => {},
    onmessage: null,
    onerror: null,
  };
  respond('ready');
  return worker;
}

/** The module as a worker of the page, in a thread: what it computes can be ended from outside, as in a browser. */
export function threadWorker(module: string): CheckWorker {
  const thread = new Worker(new URL('./thread-worker.mjs', import.meta.url), { workerData: module });
  const worker: CheckWorker = {
    postMessage: (message: unknown) => thread.postMessage(message),
    terminate: () => void thread.terminate(),
    onmessage: null,
    onerror: null,
  };
  const page = worker as unknown as globalThis.Worker;
  thread.on('message', (data) => worker.onmessage?.call(page, { data } as MessageEvent));
  thread.on('error', (error) => worker.onerror?.call(page, { error } as ErrorEvent));
  // Last, for a listener counts as somebody who waits.
  thread.unref();
  return worker;
}
