import { type ClientSearchPage, UNUSED_DAYS } from '../../shared/client-search.ts';
import { attempt, isObject, type JsonObject, membersOf, timeOf } from '../../shared/json.ts';
import { searchesFor } from '../../shared/text.ts';
import type { Route } from '../app.ts';
import { mapConcurrently } from '../caches.ts';
import type { Context } from '../context.ts';
import type { SignInLog } from '../events/sign-in-log.ts';
import { ApiError } from '../http/errors.ts';
import { booleanParameter, namedParameter, pageSizeParameter, pageTokenParameter } from '../http/parameters.ts';
import { readRoutes } from '../http/response.ts';
import { encodeToken } from '../search-index/database.ts';
import { firstFound, searchFailed, textsOfToken } from '../search-index/search-index.ts';
import { sessionOf } from '../session/session-verifier.ts';
import type { AdminLimits } from '../upstream/admin-client.ts';
import { routeError, UpstreamFailure } from '../upstream/failure.ts';

/**
 * `GET /api/oauth-clients/search`: finds clients in the index and reads each of them from the OAuth server.
 * @param uses undefined if the sign-in log is off
 */
export function oauthClientsRoutes(
  { index, oauthAdmin, config, clock: { now, monotonic } }: Context,
  uses: Pick<SignInLog, 'usesSince' | 'usedSince'> | undefined,
): Route[] {
  /** From when on unused clients have had no token. @throws if no use is known */
  async function unusedSince(): Promise<string> {
    const known = await uses?.usesSince();
    if (known == null) throw new ApiError('search_not_supported', { message: 'No use of a client has been reported.' });
    const due = new Date(now() - UNUSED_DAYS * 86_400_000).toISOString();
    return known > due ? known : due;
  }

  const router = readRoutes({
    '/search': async (req, res) => {
      const text = namedParameter('q', req.query['q']);
      const size = pageSizeParameter(req.query['page_size']);
      const [after] = textsOfToken(pageTokenParameter(req.query['page_token']), 1) ?? [];
      const isUnused = booleanParameter('unused', namedParameter('unused', req.query['unused']));
      const since = isUnused ? await unusedSince() : null;
      const used = since === null ? [] : ((await uses?.usedSince(since)) ?? []);
      const found = await firstFound(searchesFor(text), ({ words }) =>
        index.searchClients(sessionOf(res).sessionId, words ?? [], size, after, [...used]),
      ).catch((error) => {
        throw searchFailed(error, 'clients');
      });
      const { ids, more, total } = found.value;
      // The limit for all clients of the page together. Hydra cannot return several in one request.
      const until = monotonic() + config.proxyTimeoutMs;
      const current = await mapConcurrently(ids, (id) =>
        findClient({ oauthAdmin }, id, { timeoutMs: Math.max(Math.ceil(until - monotonic()), 1) }),
      ).catch((error) => Promise.reject(routeError(error)));
      const gone = ids.filter((_, index) => current[index] === undefined);
      if (gone.length > 0) index.removed('clients', gone);
      // A client that did not exist for all that time is not called unused.
      const clients = current
        .filter((client) => client !== undefined)
        .filter(({ created_at }) => since === null || !(timeOf(created_at) > timeOf(since)));
      const last = ids.at(-1);
      res.json({
        clients,
        next_page_token: more && last !== undefined ? encodeToken([last]) : null,
        has_more: more,
        total: total - (ids.length - clients.length),
        unused_since: since,
        index: { complete: found.complete, clients: found.size, as_of: new Date(found.asOf).toISOString() },
      } satisfies ClientSearchPage);
    },
  });
  return [['/api/oauth-clients', 'clients.read', router]];
}

/** A client without its secrets. @returns undefined if the server says that it has no such client. @throws UpstreamFailure */
export async function findClient(
  { oauthAdmin }: Pick<Context, 'oauthAdmin'>,
  id: string,
  limits: AdminLimits,
): Promise<JsonObject | undefined> {
  // Dot segments would be removed from the URL.
  if (id === '.' || id === '..') return undefined;
  try {
    const { body } = await oauthAdmin.get(`/admin/clients/${encodeURIComponent(id)}`, {}, limits);
    if (!isObject(body) || body['client_id'] !== id) throw new UpstreamFailure('nonsense');
    const { client_secret: _secret, registration_access_token: _token, ...client } = body;
    // Whoever registers a client writes its metadata, perhaps nested more deeply than can be serialised.
    return attempt(() => JSON.stringify(client)) === undefined ? { ...client, metadata: {} } : client;
  } catch (error) {
    if (saysAbsent(error)) return undefined;
    throw error;
  }
}

/** The body of Hydra's own 404 names the error; a 404 from a gateway or from a wrong address does not. */
function saysAbsent(error: unknown): boolean {
  if (!(error instanceof UpstreamFailure) || error.response?.status !== 404) return false;
  const { text } = error.response;
  return typeof membersOf(attempt(() => JSON.parse(text)))['error'] === 'string';
}

const LOOK_UP_MS = 2_000;

/** Whether Hydra says that it has no such client; false if it says nothing. */
export const isClientGone = ({ oauthAdmin }: Pick<Context, 'oauthAdmin'>, id: string): Promise<boolean> =>
  oauthAdmin
    .get(`/admin/clients/${encodeURIComponent(id)}`, {}, { timeoutMs: LOOK_UP_MS })
    .then(() => false, saysAbsent);
