import { UNUSED_DAYS } from '../../shared/client-search.ts';
import { SEARCH_MAX_CHARACTERS } from '../../shared/identities.ts';
import { PAGING } from './identities-routes.ts';
import { component, oneOf, query, type RouteEntry } from './route.ts';

export const CLIENTS_ROUTES: readonly RouteEntry[] = [
  {
    id: 'searchClients',
    method: 'get',
    path: '/api/oauth-clients/search',
    who: 'clients.read',
    tag: 'OAuth2 clients',
    summary: 'OAuth2 clients that match, by id: found by an index, shown as the OAuth server has them now',
    parameters: [
      query(
        'q',
        { type: 'string', maxLength: SEARCH_MAX_CHARACTERS },
        'Each word is any part of an id, a name or an owner, in any order, case and accents aside; ' +
          'of fewer than three characters the beginning of a word. If nothing matches, without the signs around it.',
      ),
      query(
        'unused',
        oneOf(['true', 'false']),
        `Only clients without a token for ${UNUSED_DAYS} days, or since the sign-in log began, that existed all that time. ` +
          'Refused as `search_not_supported` before it began.',
      ),
      ...PAGING,
    ],
    responses: { 200: { description: 'Empty if none matches.', body: component('ClientSearchPage') } },
    errors: [
      'bad_request',
      'invalid_page_size',
      'invalid_page_token',
      'search_not_supported',
      'bad_gateway',
      'gateway_timeout',
    ],
    examples: [
      ['/api/oauth-clients/search', 200],
      ['/api/oauth-clients/search?q=%00', 400],
      ['/api/oauth-clients/search?page_size=0', 400],
      ['/api/oauth-clients/search?unused=never', 400],
      ['/api/oauth-clients/search?page_token=made-up', 400],
    ],
  },
];
