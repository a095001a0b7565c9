import assert from 'node:assert/strict';
import { Worker } from 'node:worker_threads';
import { configure, waitFor, waitForElementToBeRemoved, within } from '@testing-library/dom';
import type { UserEvent } from '@testing-library/user-event';
import type { Window } from 'happy-dom';
import { schemaCheck } from '../../client/record/schema-check.ts';
import type { CheckRequest } from '../../client/record/schema-check-worker.ts';
import type { CheckWorker } from '../../client/record/traits-check.ts';
import type { Role } from '../../shared/capabilities.ts';
import { decodeReason, REASON_HEADER } from '../../shared/reason.ts';
import { simulateBrowser } from './dom.ts';
import { eventually } from './eventually.ts';
import { type InterceptedDashboardOptions, startInterceptedDashboard } from './intercepted-dashboard.ts';
import { ofSuite } from './of-suite.ts';

/** A request of the page. */
export interface PageRequest {
  method: string;
  /** Path and query. */
  path: string;
  /** Text of the body; empty without one. */
  body: string;
  /** The operator's reason, decoded; undefined without one. */
  reason?: string | undefined;
}

/** The app in a simulated DOM, with its router, query client and pages, without layout, styles, cookies or policy. */
export type App = ReturnType<typeof newApp>;

/** @returns a response in place of the server's */
type Responder = (request: PageRequest) => Response | undefined | Promise<Response | undefined>;

interface AppOptions {
  /** Value of the session cookie. */
  session?: string;
  respond?: Responder;
  /** The heading to wait for: any by default, none if null. */
  heading?: string | RegExp | null;
  /** Where operators sign in. */
  signIn?: 'oauth2' | 'openid';
  /** Whether the service receives events; no by default. */
  hasSignInLog?: boolean;
  deployment?: 'customer' | 'workforce';
  extraRoles?: string | undefined;
  requireReason?: boolean;
  /** Names of the configured upstreams; all by default. */
  upstreams?: string;
  /** Defines the browser's storage if the page may not use it: one of `UNUSABLE_STORAGE`. */
  storage?: PropertyDescriptor;
}

/** For a suite: a dashboard, available from `before` on, and its app in a simulated DOM. */
export const appOfSuite = (options: InterceptedDashboardOptions = {}) =>
  ofSuite(async () => {
    const intercepted = await startInterceptedDashboard(options);
    const { upstream, dashboard, sessions, expireCaches } = intercepted;
    return {
      ...intercepted,
      /** Opens a page, by default as an administrator, without the faults and cached state of the previous test. */
      open(
        path: string,
        { role = 'admin', ...rest }: Omit<AppOptions, 'session'> & { role?: Role },
        work: (app: App) => Promise<void>,
      ): Promise<void> {
        upstream.reset();
        expireCaches();
        const extraRoles = options.env?.EXTRA_ROLES;
        return withApp(dashboard.url, path, { session: sessions[role], extraRoles, ...rest }, work);
      },
    };
  });

/** How long a query waits for an element. Mocha limits the whole test. */
const PATIENCE_MS = 90_000;

/**
 * Opens a page of the app, and leaves it after `work`. Fails on an error of React, on `console.error` and on an uncaught
 * exception.
 * @param server origin of a dashboard; `http://dashboard.test` if `respond` responds to every request
 */
export async function withApp(
  server: string,
  path: string,
  options: AppOptions,
  work: (app: App) => Promise<void>,
): Promise<void> {
  const { window, close } = simulateBrowser(`${server}${path}`, options.storage);
  const { document } = globalThis;
  document.documentElement.dataset['signIn'] = options.signIn ?? 'oauth2';
  document.documentElement.dataset['signInLog'] = options.hasSignInLog ? 'on' : 'off';
  document.documentElement.dataset['deployment'] = options.deployment ?? 'customer';
  document.documentElement.dataset['extraRoles'] = options.extraRoles?.replaceAll(',', ' ') ?? '';
  document.documentElement.dataset['reason'] = options.requireReason ? 'required' : 'optional';
  if (options.upstreams !== undefined)
    document.head.append(
      Object.assign(document.createElement('meta'), { name: 'upstreams', content: options.upstreams }),
    );
  // These modules read the document when they are evaluated.
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
  // TanStack Query would not poll if another file had imported it before a window existed.
  environmentManager.setIsServer(() => typeof window === 'undefined');

  const app = newApp(window, userEvent.setup({ document, delay: null }), options);
  const leaving = new AbortController();
  const problems: unknown[] = [];
  const addProblem = (error: unknown): void => void problems.push(error);
  const { error: print } = console;
  console.error = (...parts: unknown[]) => {
    // Node's own warnings come this way too.
    if (!String(parts[0]).startsWith('(node:')) addProblem(parts.map(String).join(' '));
  };
  process.on('unhandledRejection', addProblem);
  Object.assign(globalThis, {
    IS_REACT_ACT_ENVIRONMENT: false,
    reportError: addProblem,
    fetch: fetchFor(app, server, { ...options, leaving: leaving.signal }),
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
    onUncaughtError: addProblem,
    onRecoverableError: addProblem,
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
    await effectsHaveRun();
    await work(app);
    assert.deepEqual(problems, []);
  } finally {
    // Toasts outlive the page, so the next test would find them.
    for (const button of app.screen.queryAllByLabelText('Dismiss')) button.click();
    // A browser aborts requests when a page is left. The code that waits for them still needs the window.
    leaving.abort();
    await queryClient.cancelQueries();
    // A page that is still loading reads the window. If it never finishes, everything else is restored all the same.
    await eventually(() => router.state.status, 'idle').catch(addProblem);
    root.unmount();
    queryClient.clear();
    await effectsHaveRun();
    // Dialogs set the focus in a timer.
    await new Promise((resolve) => setTimeout(resolve));
    restoreUrl();
    console.error = print;
    process.off('unhandledRejection', addProblem);
    await close();
  }
}

/** React runs effects, such as listening to keys, in a task after their elements are in the document. */
async function effectsHaveRun(): Promise<void> {
  for (let task = 0; task < 3; task += 1) await new Promise(setImmediate);
}

function newApp(window: Window, user: UserEvent, { respond = () => undefined }: AppOptions) {
  configure({
    asyncUtilTimeout: PATIENCE_MS,
    getElementError: (message) => new Error(`${message}\n${document.body.textContent?.slice(-4_000)}`),
  });
  const screen = within(document.body);
  const at = (place?: HTMLElement) => (place === undefined ? screen : within(place));
  return {
    window,
    user,
    /** Queries of the document, which wait for a long time. */
    screen,
    /** The requests of the page, oldest first. */
    requests: [] as PageRequest[],
    /** Responds in place of the server, or returns undefined. */
    respond,
    /** The files that the page has saved. */
    savedFiles: [] as { name: string; content: Blob }[],
    /** The addresses for which the page has been left, such as `/api/auth/login`, or `reload`. */
    navigations: [] as string[],
    /** Path and query of the page. */
    address: () => window.location.pathname + window.location.search,
    /** Waits for an element with this text. */
    async shows(text: string | RegExp, place?: HTMLElement): Promise<HTMLElement> {
      const [element] = await at(place).findAllByText(text);
      await effectsHaveRun();
      return element as HTMLElement;
    },
    /** Waits until no element has this text. */
    async hides(text: string | RegExp): Promise<void> {
      if (screen.queryAllByText(text).length > 0) await waitForElementToBeRemoved(() => screen.queryAllByText(text));
    },
    /** Presses a button when it is there and enabled. */
    async press(name: string | RegExp, place?: HTMLElement): Promise<void> {
      const button = await at(place).findByRole<HTMLButtonElement>('button', { name });
      await waitFor(() => assert.ok(!button.disabled, `the button ${name} is disabled`));
      await user.click(button);
    },
    /** Replaces the value of the field with this label. */
    async fill(label: string | RegExp, value: string, place?: HTMLElement): Promise<void> {
      const field = await at(place).findByLabelText(label);
      await user.clear(field);
      if (value !== '') await user.paste(value);
    },
    /** Chooses an option of the list with this label, by its text. */
    async choose(label: string | RegExp, option: string, place?: HTMLElement): Promise<void> {
      await user.selectOptions(await at(place).findByLabelText(label), option);
    },
  };
}

/** Records which documents would be loaded, and which files are saved. @returns a function that restores `URL` */
function observeLeaving(app: App): () => void {
  const { location } = app.window;
  const goTo = (address: string | URL): void => void app.navigations.push(String(address));
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
    app.savedFiles.push({ name: link.download, content });
  });
  return () => void Object.assign(URL, { createObjectURL });
}

/**
 * `fetch` of the page, whose requests are paths: recorded, and sent to the server with the session's cookie unless the test
 * responds. Absolute addresses are requests of the test itself.
 */
function fetchFor(app: App, server: string, { session, leaving }: AppOptions & { leaving: AbortSignal }): typeof fetch {
  const { fetch } = globalThis;
  return async (input, init = {}) => {
    if (!String(input).startsWith('/')) return fetch(input, init);
    const url = new URL(String(input), app.window.location.href);
    const body = init.body == null ? '' : String(init.body);
    const reason = decodeReason(new Headers(init.headers).get(REASON_HEADER) ?? undefined);
    const request = {
      method: init.method ?? 'GET',
      path: url.pathname + url.search,
      body,
      ...(reason !== undefined && { reason }),
    };
    app.requests.push(request);
    const signal = init.signal == null ? leaving : AbortSignal.any([leaving, init.signal]);
    const response = await Promise.race([app.respond(request), aborted(signal)]);
    if (response !== undefined) return Object.defineProperty(response, 'url', { value: url.href });
    const headers = new Headers(init.headers);
    headers.set('sec-fetch-site', 'same-origin');
    if (session !== undefined) headers.set('cookie', `dashboard-session=${session}`);
    return fetch(new URL(request.path, server), { ...init, headers, signal });
  };
}

/** Rejects when a request is aborted. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

/** A worker that checks traits in the same thread, because on a busy machine the page might not wait for another one. */
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

/** The worker of the page in a thread, which can be terminated while it computes, as in a browser. */
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
  // After adding the listeners, each of which would keep the process running.
  thread.unref();
  return worker;
}
