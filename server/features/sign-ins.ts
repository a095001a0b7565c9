import type { Request, Response } from 'express';
import { isUuid } from '../../shared/json.ts';
import {
  ADDRESS_HOURS,
  type AddressCount,
  type ClientUsage,
  type ClientUsagePage,
  SIGN_IN_METHODS,
  SIGN_IN_OUTCOMES,
  type SignInPage,
  type SignInSummary,
} from '../../shared/sign-ins.ts';
import type { Route } from '../app.ts';
import { cachedByKey } from '../caches.ts';
import type { Context } from '../context.ts';
import { addressOf, FAILURE } from '../events/event-row.ts';
import { type EventFilter, type EventPosition, shownEvent, withMilliseconds } from '../events/event-search.ts';
import type { SignInLog } from '../events/sign-in-log.ts';
import { placeLabel } from '../geo/geo-lookup.ts';
import { ApiError, badRequest } from '../http/errors.ts';
import {
  choiceParameter,
  namedParameter,
  pageSizeParameter,
  pageTokenParameter,
  timeParameter,
} from '../http/parameters.ts';
import { readRoutes } from '../http/response.ts';
import { parseTimeZone, zoneCalendar } from '../http/time-zone.ts';
import { decodeToken, encodeToken } from '../search-index/database.ts';
import { sessionOf } from '../session/session-verifier.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CACHE_MS = 10_000;
const CACHED_ZONES = 64;
const USAGE_DAYS = 30;
const SUMMARY_DAYS = 90;

/** `GET /api/security/sign-ins`, with what is known beside it, and `GET /api/oauth-clients/usage`. */
export const signInRoutes = (context: Context, log: SignInLog): Route[] => [
  ['/api/security/sign-ins', 'sign-ins.read', signInsRouter(context, log)],
  ['/api/oauth-clients/usage', 'client-usage.read', usageRouter(context, log)],
];

/**
 * Parses the query of `GET /api/security/sign-ins`. An empty parameter counts as absent.
 * @returns `searchFilter` if it searches for an address: its canonical form, for the audit record
 * @throws 400 that names the parameter
 */
function parseFilter(query: Record<string, unknown>): { filter: EventFilter; searchFilter: string | undefined } {
  const text = (name: string, max?: number): string | undefined => namedParameter(name, query[name], max);
  const ip = text('ip', 64);
  const address = ip === undefined ? undefined : addressOf(ip);
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
  if (address === undefined) return { filter, searchFilter: undefined };
  const recorded = { ip: address, ...others, identity_id: identity, client_id: filter.client };
  const given = Object.entries(recorded).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { filter, searchFilter: `sign-ins:${new URLSearchParams(given)}` };
}

/** @throws 400 `invalid_page_token` */
function positionIn(token: string | undefined): EventPosition | undefined {
  if (token === undefined) return undefined;
  const [at, trace, event, ...rest] = decodeToken(token);
  if (![at, trace, event].every((part) => typeof part === 'string') || rest.length > 0)
    throw new ApiError('invalid_page_token');
  return { at, trace, event } as EventPosition;
}

function signInsRouter({ audit, geo, clock }: Context, log: SignInLog) {
  const { now, monotonic } = clock;
  const summaries = cachedByKey<SignInSummary>({ max: CACHED_ZONES, ms: CACHE_MS, monotonic });

  async function addresses(failure: Parameters<SignInLog['byAddress']>[0]): Promise<AddressCount[]> {
    const lookUp = await geo.open();
    const rows = await log.byAddress(failure, new Date(now() - ADDRESS_HOURS * HOUR_MS).toISOString());
    return rows.map((row) => {
      const place = row.ip === null ? undefined : lookUp(row.ip.replace(/\/64$/, ''));
      return { ...row, place: place === undefined ? null : placeLabel(place) };
    });
  }

  async function summary(timeZone: string): Promise<SignInSummary> {
    const { sign_ins_since } = await log.coverage();
    const since = Math.max(Date.parse(sign_ins_since ?? new Date(now()).toISOString()), now() - SUMMARY_DAYS * DAY_MS);
    const [counts, sign_in_addresses, token_addresses] = await Promise.all([
      log.counts(new Date(since).toISOString()),
      addresses(FAILURE.ofNobody),
      addresses(FAILURE.ofNoClient),
    ]);
    const calendar = zoneCalendar(timeZone, since, now());
    const days = (outcome: string) => {
      const numbers = calendar.days.map(() => 0);
      for (const { event, slot, number } of counts) {
        const day = calendar.dayOf(Math.max(Date.parse(`${slot}0Z`), since));
        if (event === outcome && day < numbers.length) numbers[day] = (numbers[day] ?? 0) + Number(number);
      }
      return calendar.days.map((day, index) => ({ day, count: numbers[index] ?? 0 }));
    };
    return {
      succeeded: sign_ins_since === null ? [] : days('succeeded'),
      failed: sign_ins_since === null ? [] : days('failed'),
      ...{ sign_in_addresses, token_addresses, as_of: new Date(now()).toISOString() },
    };
  }

  return readRoutes({
    '/': async (req: Request, res: Response) => {
      const size = pageSizeParameter(req.query['page_size']);
      const after = positionIn(pageTokenParameter(req.query['page_token']));
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
      const token = pageTokenParameter(req.query['page_token']);
      const client = namedParameter('client_id', req.query['client_id']);
      const [after, ...rest] = token === undefined ? [''] : decodeToken(token);
      if (typeof after !== 'string' || rest.length > 0) throw new ApiError('invalid_page_token');
      const rows = client === undefined ? await log.uses(after, size + 1) : [await log.use(client)];
      const shown = rows.filter((row) => row !== undefined).slice(0, size);
      const since = new Date(now() - USAGE_DAYS * DAY_MS).toISOString();
      const clients = await Promise.all(
        shown.map(
          async (row): Promise<ClientUsage> => ({
            client_id: row.client,
            last_used_at: withMilliseconds(row.last_used),
            tokens: await log.tokens(row.client, since),
          }),
        ),
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
