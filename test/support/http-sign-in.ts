import assert from 'node:assert/strict';
import type { Session } from '../../server/session/session-token.ts';

/** Node's own `fetch`, which a page in a simulated DOM replaces. */
const { fetch } = globalThis;

/**
 * `fetch`, which repeats a GET request if the client's pool used a socket that a restart had closed: on a busy machine, the
 * pool notices that late.
 */
export const fetchWithRetry = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, init).catch((error: Error) => {
    const isStale = (error.cause as { code?: string } | undefined)?.code === 'UND_ERR_SOCKET';
    if (!isStale || (init.method ?? 'GET') !== 'GET') throw error;
    return fetch(url, init);
  });

export interface CallOptions {
  session?: string;
  method?: string;
  headers?: Record<string, string>;
  json?: unknown;
  body?: string;
}

/** Sends a request with a session cookie, and does not follow redirects. POST by default if there is a body. */
export const callAt = (
  url: string,
  path: string,
  { session, method, headers = {}, json, body }: CallOptions = {},
): Promise<Response> =>
  fetchWithRetry(`${url}${path}`, {
    method: method ?? (json === undefined && body === undefined ? 'GET' : 'POST'),
    redirect: 'manual',
    headers: {
      ...(session === undefined ? {} : { cookie: `dashboard-session=${session}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: json === undefined ? body : JSON.stringify(json),
  });

/** The cookies of one host, by name. As in a browser, ports do not count. */
export class CookieJar {
  private readonly cookies = new Map<string, string>();

  header(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  get(name: string): string | undefined {
    return this.cookies.get(name);
  }

  set(name: string, value: string): void {
    this.cookies.set(name, value);
  }

  store(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';');
      const equals = pair.indexOf('=');
      const name = pair.slice(0, equals);
      const value = pair.slice(equals + 1);
      const expired = attributes.some((attribute) => /^\s*(max-age=0|expires=thu, 01 jan 1970)/i.test(attribute));
      if (expired || value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

/** The session in the value of its cookie. */
export const sessionIn = (cookie = ''): Session =>
  JSON.parse(Buffer.from(cookie.split('.')[0] ?? '', 'base64url').toString());

/** Sends one request with the jar's cookies, and follows no redirect. */
export async function visit(url: string, jar: CookieJar, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (!headers.has('accept')) headers.set('accept', 'text/html');
  if (jar.header() !== '') headers.set('cookie', jar.header());
  const response = await fetchWithRetry(url, { ...init, headers, redirect: 'manual' });
  jar.store(response);
  return response;
}

/** Fills in and posts the sandbox's sign-in form. @returns its response, which redirects the browser */
export async function submitSignIn(pageUrl: string, jar: CookieJar, fields: Record<string, string>): Promise<Response> {
  const page = await visit(pageUrl, jar);
  const text = await page.text();
  const action = /<form[^>]*action="([^"]+)"/.exec(text)?.[1];
  assert.ok(action, `no sign-in form at ${pageUrl}: ${page.status}`);
  return visit(new URL(action, pageUrl).href, jar, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
}

/** Follows redirects until one leads to the dashboard's origin. @returns that address */
export async function followToDashboard(
  response: Response,
  from: string,
  jar: CookieJar,
  baseUrl: string,
): Promise<string> {
  let current = response;
  let at = from;
  for (let hop = 0; hop < 10; hop += 1) {
    const location = current.headers.get('location');
    assert.ok(location, `no redirect at ${at}: ${current.status}`);
    at = new URL(location, at).href;
    if (at.startsWith(`${baseUrl}/`)) return at;
    current = await visit(at, jar);
  }
  throw new Error('too many redirects');
}

/** Follows a sign-in from the service to the sandbox's page. @returns its address, and the jar of its host */
export async function openSignInPage(url: string, jar: CookieJar): Promise<{ pageUrl: string; provider: CookieJar }> {
  const provider = new CookieJar();
  const login = await visit(`${url}/api/auth/login`, jar);
  const authorization = login.headers.get('location');
  assert.ok(authorization);
  const toPage = await visit(authorization, provider);
  return { pageUrl: new URL(toPage.headers.get('location') ?? '', authorization).href, provider };
}

/**
 * Signs in over plain HTTP as a browser does, up to the callback.
 * @param url where the service listens
 * @param baseUrl its public origin
 * @returns the address of the callback, which has not been requested
 */
export async function signInUpToCallback(
  url: string,
  baseUrl: string,
  operator: { email: string; password: string },
  dashboardJar = new CookieJar(),
): Promise<{ callback: string; jar: CookieJar }> {
  const { pageUrl, provider } = await openSignInPage(url, dashboardJar);
  const posted = await submitSignIn(pageUrl, provider, { identifier: operator.email, password: operator.password });
  const callback = await followToDashboard(posted, pageUrl, provider, baseUrl);
  return { callback: callback.replace(baseUrl, url), jar: dashboardJar };
}
