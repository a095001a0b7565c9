import type { Request, Response } from 'express';
import { isUuid } from '../../shared/json.ts';
import {
  ADDRESS_HOURS,
  type ClientUsage,
  type ClientUsagePage,
  SIGN_IN_METHODS,
  SIGN_IN_OUTCOMES,
  type SignInPage,
  type SignInSummary,
} from '../../shared/sign-ins.ts';
import type { Route } from '../app.ts';
import { cachedByKey, mapConcurrently } from '../caches.ts';
import type { Context } from '../context.ts';
import { addressOf, FAILURE, networkOf } from '../events/event-row.ts';
import { type EventFilter, type EventPosition, shownEvent, withMilliseconds } from '../events/event-search.ts';
import type { SignInLog } from '../events/sign-in-log.ts';
import { badRequest } from '../http/errors.ts';
import {
  choiceParameter,
  namedParameter,
  pageSizeParameter,
  pageTokenParameter,
  timeParameter,
} from '../http/parameters.ts';
import { readRoutes } from '../http/response.ts';
import { parseTimeZone, zoneCalendar } from '../http/time-zone.ts';
import { encodeToken } from '../search-index/database.ts';
import { textsOfToken } from '../search-index/search-index.ts';
import { sessionOf } from '../session/session-verifier.ts';

const HOUR_MS = 3_600_000;
const CACHE_MS = 10_000;
const CACHED_ZONES = 64;
/** Of sign-ins and tokens by day. */
const DAYS_MS = 30 * 24 * HOUR_MS;

/** `GET /api/security/sign-ins`, with what is known beside it, and `GET /api/oauth-clients/usage`. */
export const signInRoutes = (context: Context, log: SignInLog): Route[] => [
  ['/api/security/sign-ins', 'sign-ins.read', signInsRouter(context, log)],
  ['/api/oauth-clients/usage', 'clients.read', usageRouter(context, log)],
];

/**
 * Parses the query of `GET /api/security/sign-ins`. An empty parameter counts as absent.
 * @returns `searchFilter` if it searches for an address: its canonical form, for the audit record
 * @throws 400 that names the parameter
 */
function parseFilter(query: Record<string, unknown>): { filter: EventFilter; searchFilter: string | undefined } {
  const text = (name: string, max?: number): string | undefined => namedParameter(name, query[name], max);
  const ip = text('ip', 64);
  const alone = ip === undefined ? undefined : addressOf(ip.replace(/\/64$/, ''));
  // The sum of failures names the network of an IPv6 address.
  const address = alone && ip?.endsWith('/64') ? networkOf(alone) : alone;
  if (address === null) throw badRequest('ip', 'must be an IP address');
  const identity = text('identity_id', 36)?.toLowerCase();
  if (identity !== undefined && !isUuid(identity)) throw badRequest('identity_id', 'must be the id of an identity');
  const country = text('country', 2);
  if (country !== undefined && !/^[A-Z]{2}$/.test(country)) throw badRequest('country', 'must be two capital letters');
  const others = {
    outcome: choiceParameter('outcome', text('outcome', 16), SIGN_IN_OUTCOMES),
    method: choiceParameter('method', text('method', 32), SIGN_IN_METHODS),
    ...{ reason: text('reason'), service: text('service', 64), country },
    from: timeParameter('from', text('from', 64)),
    to: timeParameter('to', text('to', 64)),
  };
  const filter = { ...others, identity, client: text('client_id'), address };
  const recorded = { ip: address, ...others, identity_id: identity, client_id: filter.client };
  const given = Object.entries(recorded).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { filter, searchFilter: address && `sign-ins:${new URLSearchParams(given)}` };
}

function signInsRouter({ audit, clock: { now, monotonic } }: Context, log: SignInLog) {
  const summaries = cachedByKey<SignInSummary>({ max: CACHED_ZONES, ms: CACHE_MS, monotonic });

  async function summary(timeZone: string): Promise<SignInSummary> {
    const { sign_ins_since } = await log.coverage();
    const since = sign_ins_since === null ? now() : Math.max(Date.parse(sign_ins_since), now() - DAYS_MS);
    const recently = new Date(now() - ADDRESS_HOURS * HOUR_MS).toISOString();
    const [counts, sign_in_addresses, token_addresses] = await Promise.all([
      log.counts(new Date(since).toISOString()),
      log.byAddress(FAILURE.ofNobody, recently),
      log.byAddress(FAILURE.ofNoClient, recently),
    ]);
    const calendar = zoneCalendar(timeZone, since, now());
    const days = (outcome: string) => {
      const numbers = calendar.days.map(() => 0);
      for (const { event, slot, number } of counts) {
        const day = calendar.dayOf(Math.max(Date.parse(`${slot}0Z`), since));
        if (event === outcome && day < numbers.length) numbers[day] = (numbers[day] ?? 0) + Number(number);
      }
      return sign_ins_since === null ? [] : calendar.days.map((day, index) => ({ day, count: numbers[index] ?? 0 }));
    };
    return { succeeded: days('succeeded'), failed: days('failed'), sign_in_addresses, token_addresses };
  }

  return readRoutes({
    '/': async (req: Request, res: Response) => {
      const size = pageSizeParameter(req.query['page_size']);
      const [at, trace, event] = textsOfToken(pageTokenParameter(req.query['page_token']), 3) ?? [];
      const after = at === undefined ? undefined : ({ at, trace, event } as EventPosition);
      const { filter, searchFilter } = parseFilter(req.query);
      if (searchFilter !== undefined)
        await audit.record({ action: 'identity_search', adminId: sessionOf(res).identityId, searchFilter });
      const { rows, next } = await log.page(filter, size, after);
      res.json({
        events: rows.map(shownEvent),
        next_page_token: next === undefined ? null : encodeToken([next.at, next.trace, next.event]),
        has_more: next !== undefined,
      } satisfies SignInPage);
    },
    '/coverage': async (_req, res) => void res.json(await log.coverage()),
    '/summary': async (req, res) => {
      const timeZone = parseTimeZone(req.query['time_zone']);
      res.json(await summaries.get(timeZone, () => summary(timeZone)));
    },
  });
}

function usageRouter({ clock: { now } }: Context, log: SignInLog) {
  return readRoutes({
    '/': async (req, res) => {
      const size = pageSizeParameter(req.query['page_size']);
      const [after = ''] = textsOfToken(pageTokenParameter(req.query['page_token']), 1) ?? [];
      const client = namedParameter('client_id', req.query['client_id']);
      const rows = client === undefined ? await log.uses(after, size + 1) : [await log.use(client)];
      const shown = rows.filter((row) => row !== undefined).slice(0, size);
      const since = new Date(now() - DAYS_MS).toISOString();
      const clients = await mapConcurrently(
        shown,
        async (row): Promise<ClientUsage> => ({
          client_id: row.client,
          last_used_at: withMilliseconds(row.last_used),
          tokens: await log.tokens(row.client, since),
        }),
      );
      const last = shown.at(-1);
      const hasMore = rows.length > size && last !== undefined;
      res.json({
        clients,
        next_page_token: hasMore ? encodeToken([last.client]) : null,
        has_more: hasMore,
        since: await log.usesSince(),
      } satisfies ClientUsagePage);
    },
  });
}
