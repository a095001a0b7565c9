import { Router } from 'express';
import type { ClientSearchPage } from '../../shared/client-search.ts';
import { isObject, type JsonObject, membersOf } from '../../shared/json.ts';
import { ApiError, methodNotAllowed } from '../http/errors.ts';
import { pageSizeParameter, pageTokenParameter, wordsParameter } from '../http/parameters.ts';
import { partsIn, tokenOfParts } from '../search-index/full-text.ts';
import { type IdentityIndex, searchFailed } from '../search-index/index.ts';
import { sessionOf } from '../session/session-verifier.ts';
import type { AdminClient } from '../upstream/admin-client.ts';
import { questionFailed, UpstreamFailure } from '../upstream/failure.ts';

/** A validated question to the index of clients. */
export interface ClientSearchQuery {
  /** All clients without it. */
  text: string | undefined;
  size: number;
  /** The id of the last client of the page before. */
  after: string | undefined;
}

/**
 * Validates the query of `GET /api/oauth-clients/search`.
 * @throws 400 that names the parameter, `invalid_page_size` or `invalid_page_token`
 */
export const parseClientSearchQuery = (query: Record<string, unknown>): ClientSearchQuery => ({
  text: wordsParameter('q', query['q']),
  size: pageSizeParameter(query['page_size']),
  after: idIn(pageTokenParameter(query['page_token'])),
});

function idIn(token: string | undefined): string | undefined {
  if (token === undefined) return undefined;
  const [id, ...rest] = partsIn(token);
  if (typeof id !== 'string' || rest.length > 0) throw new ApiError('invalid_page_token');
  return id;
}

/** Hydra has no question for several ids. */
const CALLS_AT_ONCE = 8;

/**
 * Searches the index of OAuth 2.0 clients; every client that is shown is the server's own of this moment.
 * @param options.timeoutMs for all clients of a page together
 * @param options.monotonic milliseconds on a monotonic clock
 * @returns rejects with 400 `search_not_supported` while nothing is known, 502 and 504 if the server fails
 */
export function clientSearch(options: {
  index: IdentityIndex;
  oauthAdmin: AdminClient;
  timeoutMs: number;
  monotonic: () => number;
}): (session: string, query: ClientSearchQuery) => Promise<ClientSearchPage> {
  const { index, oauthAdmin, timeoutMs, monotonic } = options;

  /** @returns undefined if the server has no such client */
  async function clientOf(id: string, leftMs: number): Promise<JsonObject | undefined> {
    // No URL can end with such a segment.
    if (id === '.' || id === '..') return undefined;
    try {
      const limits = { timeoutMs: Math.max(Math.ceil(leftMs), 1) };
      const { body } = await oauthAdmin.get(`/admin/clients/${encodeURIComponent(id)}`, {}, limits);
      if (!isObject(body) || body['client_id'] !== id) throw new UpstreamFailure('nonsense');
      const { client_secret: _secret, registration_access_token: _token, ...client } = body;
      return client;
    } catch (error) {
      if (saysAbsent(error)) return undefined;
      throw questionFailed(error);
    }
  }

  /** @returns those that the server still has, by id */
  async function stored(ids: readonly string[]): Promise<Map<string, JsonObject>> {
    const found = new Map<string, JsonObject>();
    const waiting = [...ids];
    const until = monotonic() + timeoutMs;
    const work = async (): Promise<void> => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        const client = await clientOf(id, until - monotonic());
        if (client !== undefined) found.set(id, client);
      }
    };
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work)).finally(() => {
      // After a failure nobody wants the rest.
      waiting.length = 0;
    });
    return found;
  }

  return async (session, { text, size, after }) => {
    const found = await index.findClients(session, text, size, after).catch((error) => {
      throw searchFailed(error, 'clients');
    });
    const current = await stored(found.ids);
    const gone = found.ids.filter((id) => !current.has(id));
    if (gone.length > 0) index.removed('clients', gone);
    const last = found.ids.at(-1);
    return {
      clients: found.ids.map((id) => current.get(id)).filter((client) => client !== undefined),
      next_page_token: found.more && last !== undefined ? tokenOfParts([last]) : null,
      has_more: found.more,
      total: found.total - gone.length,
      index: found.index,
    };
  };
}

/** Hydra's own 404 names the error in its body; a gateway's, or that of a wrong address, does not. */
function saysAbsent(error: unknown): boolean {
  if (!(error instanceof UpstreamFailure) || error.answer?.status !== 404) return false;
  try {
    return typeof membersOf(JSON.parse(error.answer.text))['error'] === 'string';
  } catch {
    return false;
  }
}

/** `GET /api/oauth-clients/search`. */
export function oauthClientsRouter(
  search: (session: string, query: ClientSearchQuery) => Promise<ClientSearchPage>,
): Router {
  const router = Router({ caseSensitive: true });
  router
    .route('/search')
    .get(async (req, res) => {
      res.json(await search(sessionOf(res).sessionId, parseClientSearchQuery(req.query)));
    })
    .all(methodNotAllowed('GET, HEAD'));
  return router;
}
