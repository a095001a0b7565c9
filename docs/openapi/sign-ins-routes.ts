import { ADDRESS_HOURS, SIGN_IN_METHODS, SIGN_IN_OUTCOMES } from '../../shared/sign-ins.ts';
import { PAGING } from './identities-routes.ts';
import { component, oneOf, query, type RouteEntry, text, uuid } from './route.ts';

const EXISTS = 'Exists only with `EVENTS_PORT`.';
const clientId = (description: string) => query('client_id', text, description);

/** The sign-in log. Its listener, `POST /v1/traces`, has a port of its own and is not part of this API. */
export const SIGN_INS_ROUTES: readonly RouteEntry[] = [
  {
    id: 'signIns',
    method: 'get',
    path: '/api/security/sign-ins',
    who: 'sign-ins.read',
    tag: 'Security',
    summary: 'What Kratos and Hydra reported of sign-ins, newest first',
    description: `${EXISTS} A page may be short, or empty, and still have more.`,
    parameters: [
      query('outcome', oneOf(SIGN_IN_OUTCOMES)),
      query('reason', text, 'One of the stable words, or a whole sentence.'),
      query('method', oneOf(SIGN_IN_METHODS)),
      query('service', text, 'Its name in the coverage.'),
      query('ip', text, 'An address in any spelling; leaves an audit record.'),
      query('country', { type: 'string', pattern: '^[A-Z]{2}$' }),
      query('identity_id', uuid),
      clientId('Only what names this OAuth 2.0 client.'),
      query('from', text, 'Inclusive: a date, or a time with an offset.'),
      query('to', text, 'Exclusive.'),
      ...PAGING,
    ],
    responses: { 200: { description: 'Empty if nothing matches.', body: component('SignInPage') } },
    errors: ['bad_request', 'invalid_page_size', 'invalid_page_token'],
    examples: [
      ['/api/security/sign-ins', 200],
      ['/api/security/sign-ins?outcome=failed&ip=2001:DB8::1&from=2026-01-31', 200],
      ['/api/security/sign-ins?ip=nowhere', 400],
      ['/api/security/sign-ins?page_size=0', 400],
      ['/api/security/sign-ins?page_token=made-up', 400],
    ],
  },
  {
    id: 'signInCoverage',
    method: 'get',
    path: '/api/security/sign-ins/coverage',
    who: 'sign-ins.read',
    tag: 'Security',
    summary: 'Since when events arrive, from which service, and when some may be missing',
    description: `${EXISTS} A sampling ratio below 1 cannot be seen.`,
    responses: { 200: { description: 'Gaps newest first.', body: component('SignInCoverage') } },
    examples: [['/api/security/sign-ins/coverage', 200]],
  },
  {
    id: 'signInSummary',
    method: 'get',
    path: '/api/security/sign-ins/summary',
    who: 'sign-ins.read',
    tag: 'Security',
    summary: 'Sign-ins and failures by day, and recent failures that name nobody by address',
    description: EXISTS,
    parameters: [query('time_zone', text, 'An IANA name; UTC by default.')],
    responses: {
      200: { description: `Addresses of the last ${ADDRESS_HOURS} hours.`, body: component('SignInSummary') },
    },
    errors: ['bad_request'],
    examples: [
      ['/api/security/sign-ins/summary?time_zone=Europe/Oslo', 200],
      ['/api/security/sign-ins/summary?time_zone=Nowhere', 400],
    ],
  },
  {
    id: 'clientUsage',
    method: 'get',
    path: '/api/oauth-clients/usage',
    who: 'clients.read',
    tag: 'OAuth2 clients',
    summary: 'When OAuth2 clients last got a token, and how many a day, by id',
    description: EXISTS,
    parameters: [clientId('Only this one.'), ...PAGING],
    responses: {
      200: { description: 'Without clients that got none since `since`.', body: component('ClientUsagePage') },
    },
    errors: ['bad_request', 'invalid_page_size', 'invalid_page_token'],
    examples: [
      ['/api/oauth-clients/usage?client_id=unknown', 200],
      ['/api/oauth-clients/usage?client_id=a&client_id=b', 400],
      ['/api/oauth-clients/usage?page_size=0', 400],
      ['/api/oauth-clients/usage?page_token=made-up', 400],
    ],
  },
];
