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
