import { PROVIDER_SIGN_OUT_HEADER, SESSION_EXPIRES_HEADER, SHORT_SESSION_HEADER } from '../../shared/session.ts';
import { component, oneOf, query, type RouteEntry, text } from './route.ts';

const NOT_AHEAD =
  '503 for speculative requests: `prefetch` in `Sec-Purpose`, `Purpose` or `X-Moz`, `preview` in `X-Purpose`.';

export const PUBLIC_ROUTES: readonly RouteEntry[] = [
  {
    id: 'health',
    method: 'get',
    path: '/api/health',
    who: 'anyone',
    tag: 'Service',
    summary: 'Whether the service is working',
    description: '503 while the database is unavailable or does not accept writes, and while the service shuts down.',
    parameters: [
      query(
        'probe',
        oneOf(['live', 'ready']),
        '`live`: whether the process responds, also during start and shutdown. `ready`: whether the service has started and does not shut down. Both are 200 without the database.',
      ),
    ],
    responses: { 200: { description: 'It is.', body: component('Health') } },
    errors: ['bad_request', 'service_unavailable'],
    examples: [
      ['/api/health', 200],
      ['/api/health?probe=live', 200],
      ['/api/health?probe=ready', 200],
      ['/api/health?probe=other', 400],
    ],
  },
  {
    id: 'socialConnections',
    method: 'get',
    path: '/api/connections/social',
    who: 'anyone',
    tag: 'Settings',
    summary: 'Enabled social sign-in providers, in display order',
    responses: { 200: { description: 'Without secrets.', body: component('SocialConnections') } },
    examples: [['/api/connections/social', 200]],
  },
  {
    id: 'login',
    method: 'get',
    path: '/api/auth/login',
    who: 'anyone',
    tag: 'Sign-in',
    summary: 'Start a sign-in',
    description: `With an OpenID provider, 502 and 504 are for callers that do not accept HTML; browsers are redirected to \`/sign-in-failed?reason=…\`. ${NOT_AHEAD}`,
    parameters: [query('attempt', { type: 'integer', minimum: 1, maximum: 3 }, 'Set by the service itself.')],
    responses: {
      302: {
        description: 'Redirect to the OAuth 2.0 server or OpenID provider, with two temporary cookies.',
        headers: { Location: 'The authorization endpoint, with state and PKCE challenge.' },
      },
    },
    errors: ['bad_gateway', 'service_unavailable', 'gateway_timeout'],
    examples: [['/api/auth/login', 302]],
  },
  {
    id: 'callback',
    method: 'get',
    path: '/api/auth/callback',
    who: 'anyone',
    tag: 'Sign-in',
    summary: 'Finish a sign-in',
    description: `The redirect URI of the client. Other errors are for callers that do not accept HTML; browsers are redirected. ${NOT_AHEAD}`,
    parameters: [
      query('code', text),
      query('state', text),
      query('error', text, 'Instead of `code`, if the server refused.'),
      query('iss', text, 'The issuer (RFC 9207), compared with `AUTH_ISSUER`.'),
    ],
    responses: {
      302: {
        description:
          'Redirect to `/dashboard` with the session cookie, to `/sign-in-failed?reason=…`, or to another attempt.',
        headers: { Location: 'Where the browser continues.' },
      },
    },
    errors: ['not_authenticated', 'bad_gateway', 'service_unavailable', 'gateway_timeout'],
    examples: [['/api/auth/callback', 302]],
  },
  {
    id: 'session',
    method: 'get',
    path: '/api/auth/session',
    who: 'anyone',
    tag: 'Sign-in',
    summary: 'Who is signed in',
    description: `\`${SHORT_SESSION_HEADER}\` has the session’s length in minutes if an OpenID provider allows less than 30.`,
    responses: {
      200: {
        description: 'The operator.',
        headers: { [SESSION_EXPIRES_HEADER]: 'When the session ends: ISO 8601, UTC.' },
        body: component('SessionInformation'),
      },
      401: { description: 'Nobody. The only error body with a different shape.', body: component('NotSignedIn') },
    },
    examples: [['/api/auth/session', 200, 401]],
  },
  {
    id: 'logout',
    method: 'post',
    path: '/api/auth/logout',
    who: 'anyone',
    tag: 'Sign-in',
    summary: 'End the session, on every replica',
    description: `The cookie is deleted in any case; 503 \`service_unavailable\` means that the sign-out is not stored yet. With \`OAUTH_SIGN_OUT=provider\`, \`${PROVIDER_SIGN_OUT_HEADER}\` has the address at which the browser ends the OpenID provider’s session.`,
    responses: { 204: { description: 'The session has ended, or there was none.' } },
  },
];
