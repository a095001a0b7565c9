import { type Request, type Response, Router } from 'express';
import { SEARCH_IDS_MAX } from '../../../shared/identity-search.ts';
import type { LocatedSession, LocatedSessions, SessionIds } from '../../../shared/session-locations.ts';
import type { AuditTrail } from '../../audit/audit-trail.ts';
import type { GeoLookup } from '../../geo/geo-lookup.ts';
import { ApiError } from '../../http/api-error.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import type { IdentityIndex } from '../../identity-index/identity-index.ts';
import type { AskedSessions } from '../../identity-index/index-commands.ts';
import { countFailed, searchFailed } from '../../identity-index/index-failure.ts';
import { tokenOf } from '../../identity-index/page-token.ts';
import { sessionOf } from '../../session/current-session.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import { questionFailed } from '../../upstream/upstream-failure.ts';
import { locatedSession } from './located-session.ts';
import { parseSessionPage, parseSessionQuery, questionAt } from './session-query.ts';

/** The store has no question for some sessions at once. */
const CALLS_AT_ONCE = 8;

/** Places are counted without an index, too; words are sought in it alone. */
const failed =
  ({ place, device, person }: AskedSessions) =>
  (error: unknown): never => {
    const words = [place, device, person].some((text) => text !== undefined);
    throw words ? searchFailed(error, 'sessions') : countFailed(error);
  };

/** `GET /api/security/sessions`: found by the index, each of them the store's own of this moment. */
export function locatedSessionsRouter(options: {
  index: IdentityIndex;
  store: IdentityStore;
  geo: GeoLookup;
  audit: AuditTrail;
  /** Milliseconds since the epoch. */
  now: () => number;
}): Router {
  const { index, store, geo, audit, now } = options;
  /** Whoever seeks people by their sessions leaves a record as for any other search. */
  async function asked(req: Request, res: Response): Promise<AskedSessions> {
    const { filter, narrowed, searchFilter } = parseSessionQuery(req.query);
    const question = { ...questionAt(filter, now()), ...narrowed };
    if (searchFilter !== undefined) {
      // What finds nobody is not recorded.
      await index.ready().catch(failed(question));
      await audit.record({ action: 'identity_search', adminId: sessionOf(res).identityId, searchFilter });
    }
    return question;
  }

  const router = Router({ caseSensitive: true });
  router.get('/', async (req, res) => {
    const { size, after } = parseSessionPage(req.query);
    const question = await asked(req, res);
    const { value, complete, asOf } = await index
      .sessions(sessionOf(res).sessionId, question, size, after)
      .catch(failed(question));
    const { ids, next, total } = value;
    const lookUp = await geo.open();
    const sessions: LocatedSession[] = [];
    const gone: string[] = [];
    for (let from = 0; from < ids.length; from += CALLS_AT_ONCE) {
      const some = ids.slice(from, from + CALLS_AT_ONCE);
      const stored = await Promise.all(some.map(store.session)).catch((error) => {
        throw questionFailed(error);
      });
      for (const [at, session] of stored.entries()) {
        const row = session === undefined ? undefined : locatedSession(session, lookUp, now());
        if (row !== undefined) sessions.push(row);
        else gone.push(...some.slice(at, at + 1));
      }
    }
    if (gone.length > 0) index.removed('sessions', gone);
    const answer: LocatedSessions = {
      sessions,
      next_page_token: next === undefined ? null : tokenOf(next),
      has_more: next !== undefined,
      total: total - gone.length,
      truncated: !complete,
      as_of: new Date(asOf).toISOString(),
    };
    res.json(answer);
  });
  router.get('/ids', async (req, res) => {
    const question = await asked(req, res);
    const { value, complete, asOf } = await index
      .sessionIds(sessionOf(res).sessionId, question, SEARCH_IDS_MAX + 1)
      .catch(failed(question));
    if (value.length > SEARCH_IDS_MAX)
      throw new ApiError('bad_request', {
        message: `More than ${SEARCH_IDS_MAX.toLocaleString('en')} sessions match. Narrow the question.`,
      });
    const answer: SessionIds = { ids: value, truncated: !complete, as_of: new Date(asOf).toISOString() };
    res.json(answer);
  });
  router.all(['/', '/ids'], methodNotAllowed('GET, HEAD'));
  return router;
}
