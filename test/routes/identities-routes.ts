import {
  CREDENTIALS_IDENTIFIER_MAX_CHARACTERS,
  PAGE_SIZE_DEFAULT,
  PAGE_SIZE_MAX,
  PAGE_TOKEN_MAX_CHARACTERS,
} from '../../shared/identities.ts';
import { component, inPath, type Parameter, query, type RouteEntry, type Schema, uuid } from './route.ts';

const identifier: Schema = { type: 'string', maxLength: CREDENTIALS_IDENTIFIER_MAX_CHARACTERS };

/** The query parameters of every paged list. */
export const PAGING: readonly Parameter[] = [
  query('page_size', { type: 'integer', minimum: 1, maximum: PAGE_SIZE_MAX, default: PAGE_SIZE_DEFAULT }),
  query(
    'page_token',
    { type: 'string', maxLength: PAGE_TOKEN_MAX_CHARACTERS },
    '`next_page_token` of the previous page.',
  ),
];

export const IDENTITIES_ROUTES: readonly RouteEntry[] = [
  {
    id: 'listIdentities',
    method: 'get',
    path: '/api/identities',
    who: 'identities.read',
    tag: 'Identities',
    summary: "A page of the deployment's identities",
    description: 'Each request leaves an audit record.',
    parameters: [
      ...PAGING,
      query('credentials_identifier', identifier, 'A complete sign-in identifier.'),
      query(
        'credentials_identifier_prefix',
        identifier,
        'A prefix of an identifier; not together with a complete one.',
      ),
    ],
    answers: { 200: { description: 'Empty if nobody matches.', body: component('IdentityPage') } },
    errors: [
      'bad_request',
      'invalid_page_size',
      'invalid_page_token',
      'invalid_credentials_identifier',
      'search_not_supported',
      'bad_gateway',
      'gateway_timeout',
    ],
    asked: [
      ['/api/identities', 200],
      ['/api/identities?page_size=0', 400],
      ['/api/identities?page_token=made-up', 400],
      ['/api/identities?credentials_identifier=%00', 400],
      ['/api/identities?credentials_identifier=a&credentials_identifier_prefix=a', 400],
    ],
  },
  {
    id: 'countIdentities',
    method: 'get',
    path: '/api/identities/total',
    who: 'identities.read',
    tag: 'Identities',
    summary: 'How many identities there are',
    description: 'Counted at most once a minute, and again after a change made through this service.',
    answers: { 200: { description: 'The count.', body: component('IdentityTotal') } },
    errors: ['bad_gateway', 'gateway_timeout'],
    asked: [['/api/identities/total', 200]],
  },
  {
    id: 'identityCredentials',
    method: 'get',
    path: '/api/identities/{id}/credentials',
    who: 'identities.read',
    tag: 'Identities',
    summary: 'How an identity can sign in, without anything secret',
    parameters: [inPath('id', uuid)],
    answers: { 200: { description: 'By type.', body: component('IdentityCredentials') } },
    errors: ['not_found', 'bad_gateway', 'gateway_timeout'],
    asked: [['/api/identities/absent/credentials', 404]],
  },
];
