import type { Period } from '../../../shared/fits.ts';
import { SEARCH_MAX_CHARACTERS, SORTS } from '../../../shared/identity-search.ts';
import { ApiError, badRequest } from '../../http/api-error.ts';
import { pageSizeParameter, pageTokenParameter, textParameter } from '../../http/page-parameters.ts';
import { timeParameter } from '../../http/time-parameter.ts';
import type { Asked } from '../../identity-index/index-commands.ts';
import { type PageStart, placeIn } from '../../identity-index/page-token.ts';
import type { Order } from '../../identity-index/question.ts';
import { wordsParameter } from '../../identity-index/words-parameter.ts';

/** A validated question to the index of identities. */
export interface SearchQuery {
  asked: Asked;
  order: Order;
  size: number;
  after: PageStart | undefined;
  /** Reads the newest people first. */
  refresh: boolean;
  /** The question in canonical form, for the audit record; null if nothing is asked. */
  canonical: string | null;
}

/**
 * Validates the query of `GET /api/identities/search` and of the routes below it. An empty parameter counts as absent.
 * @throws 400 that names the parameter, `invalid_page_size` or `invalid_page_token`
 */
export function parseSearchQuery(query: Record<string, unknown>): SearchQuery {
  const given: [name: string, value: string][] = [];
  const text = (name: string, max = 64): string | undefined => {
    const value = textParameter(query[name], max, () =>
      badRequest(name, `must be one string of at most ${max} characters without control characters`),
    );
    if (value !== undefined) given.push([name, value]);
    return value;
  };
  function oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const value = text(name);
    const known = allowed.find((item) => item === value);
    if (value !== undefined && known === undefined) throw badRequest(name, `must be one of ${allowed.join(', ')}`);
    return known;
  }
  function period(name: string): Period | undefined {
    const [from, to] = (['from', 'to'] as const).map((end) => {
      const time = timeParameter(`${name}_${end}`, text(`${name}_${end}`));
      return time === undefined ? undefined : Date.parse(time);
    });
    return from === undefined && to === undefined ? undefined : { from, to };
  }

  const words = wordsParameter('q', query['q']);
  if (words !== undefined) given.push(['q', words]);
  const state = oneOf('state', ['active', 'inactive']);
  const schemaId = text('schema_id', SEARCH_MAX_CHARACTERS);
  const verified = oneOf('verified', ['true', 'false']);
  const [created, updated, session] = [period('created'), period('updated'), period('session')];
  const noSession = oneOf('no_session', ['true']);
  if (noSession !== undefined && session?.from !== undefined)
    throw badRequest('no_session', 'must not be sent together with session_from');
  const by = oneOf('sort', SORTS) ?? 'created';
  const descending = (oneOf('order', ['asc', 'desc']) ?? 'desc') === 'desc';
  const canonical = given.length === 0 ? null : new URLSearchParams(given).toString();
  return {
    asked: {
      text: words,
      active: state && state === 'active',
      schemaId,
      verified: verified && verified === 'true',
      created,
      updated,
      lastSession: noSession === undefined ? session : session === undefined ? 'none' : { ...session, orNone: true },
    },
    order: { by, descending },
    refresh: oneOf('refresh', ['true']) === 'true',
    size: pageSizeParameter(query['page_size']),
    after: cursorOf(pageTokenParameter(query['page_token']), by === 'identifier' ? 'string' : 'number'),
    canonical,
  };
}

function cursorOf(token: string | undefined, type: 'string' | 'number'): PageStart | undefined {
  if (token === undefined) return undefined;
  const place = placeIn(token);
  // A token of another order.
  if (typeof place?.value !== type) throw new ApiError('invalid_page_token');
  return place;
}
