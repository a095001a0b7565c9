import assert from 'node:assert/strict';

/** Node's own: a page in a simulated DOM has another in its place. */
const { fetch } = globalThis;

/**
 * `fetch`, and once more where the client's pool handed out a socket that a restart had closed: on a busy machine the pool
 * notices late. Only for a GET, which may be sent twice without harm.
 */
export const fetchAfresh = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, init).catch((error: Error) => {
    const stale = (error.cause as { code?: string } | undefined)?.code === 'UND_ERR_SOCKET';
    if (!stale || (init.method ?? 'GET') !== 'GET') throw error;
    return fetch(url, init);
  });

/** Cookies by host and name, as a browser keeps them: ports do not count. */
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

  take(response: Response): void {
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

/** One request with the jar's cookies, no redirect followed. */
export async function visit(url: string, jar: CookieJar, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (!headers.has('accept')) headers.set('accept', 'text/html');
  if (jar.header() !== '') headers.set('cookie', jar.header());
  const response = await fetchAfresh(url, { ...init, headers, redirect: 'manual' });
  jar.take(response);
  return response;
}

/** Reads the sign-in form of the sandbox and posts it. @returns where the browser is sent next */
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
async function followToDashboard(response: Response, from: string, jar: CookieJar, baseUrl: string): Promise<string> {
  let answer = response;
  let at = from;
  for (let hop = 0; hop < 10; hop += 1) {
    const location = answer.headers.get('location');
    assert.ok(location, `no redirect at ${at}: ${answer.status}`);
    at = new URL(location, at).href;
    if (at.startsWith(`${baseUrl}/`)) return at;
    answer = await visit(at, jar);
  }
  throw new Error('too many redirects');
}

/**
 * The whole browser flow over plain HTTP, up to the callback's address, which is not yet requested.
 * @param url where the service listens; @param baseUrl its public origin
 */
export async function signInUpToCallback(
  url: string,
  baseUrl: string,
  operator: { email: string; password: string },
  dashboardJar = new CookieJar(),
): Promise<{ callback: string; jar: CookieJar }> {
  const provider = new CookieJar();
  const login = await visit(`${url}/api/auth/login`, dashboardJar);
  const authorization = login.headers.get('location');
  assert.ok(authorization);
  const toPage = await visit(authorization, provider);
  const pageUrl = new URL(toPage.headers.get('location') ?? '', authorization).href;
  const posted = await submitSignIn(pageUrl, provider, { identifier: operator.email, password: operator.password });
  const callback = await followToDashboard(posted, pageUrl, provider, baseUrl);
  return { callback: callback.replace(baseUrl, url), jar: dashboardJar };
}
