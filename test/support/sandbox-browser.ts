import assert from 'node:assert/strict';

/** The page at the end of a chain of redirects. */
interface Landed {
  /** The first address of the chain. */
  start: string;
  /** A page of the OAuth server, or the first address outside it. */
  url: string;
  status: number;
  headers: Headers;
  body: string;
}

/**
 * Follows redirects with cookies as a browser does, and stops at the first address outside the server.
 * @param headers sent with each request
 */
export function sandboxBrowser(headers: Record<string, string> = {}) {
  /** By path and name, because concurrent sign-ins have cookies of the same name. */
  const cookies = new Map<string, { path: string; pair: string }>();
  const request = async (url: string, init: RequestInit): Promise<Response> => {
    const { pathname } = new URL(url);
    const matching = [...cookies.values()].filter(
      ({ path }) => path === '/' || pathname === path || pathname.startsWith(`${path}/`),
    );
    const cookie = matching.map(({ pair }) => pair).join('; ');
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...headers, cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const path = /; *path=([^;]+)/i.exec(line)?.[1] ?? '/';
      const key = `${path} ${pair.split('=')[0]}`;
      if (pair.endsWith('=')) cookies.delete(key);
      else cookies.set(key, { path, pair });
    }
    return response;
  };
  const follow = async (start: string, first: RequestInit): Promise<Landed> => {
    const { origin } = new URL(start);
    let url = start;
    for (let step = 0; step < 10; step += 1) {
      const response = await request(url, step === 0 ? first : {});
      const landed = { start, status: response.status, headers: response.headers, body: await response.text() };
      const location = response.headers.get('location');
      if (location === null) return { ...landed, url };
      url = new URL(location, url).href;
      if (new URL(url).origin !== origin) return { ...landed, url };
    }
    throw new Error('too many redirects');
  };
  return {
    open: (url: string) => follow(url, {}),
    /** Submits the form of a page. */
    submit: (page: Landed, fields: Record<string, string>) => {
      const action = /<form method="post" action="([^"]+)"/.exec(page.body)?.[1];
      assert.ok(action, 'the page has a form');
      return follow(new URL(action, page.url).href, { method: 'POST', body: new URLSearchParams(fields) });
    },
  };
}
