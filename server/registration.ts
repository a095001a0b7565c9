import { type Role, type RoleSource, rolesWith } from '../shared/capabilities.ts';
import { membersOf, texts } from '../shared/json.ts';

/** The scopes that the dashboard requests at sign-in. */
export const SCOPES: readonly string[] = ['openid', 'profile', 'email'];

/** The redirect URI of the dashboard's OAuth 2.0 client. @param baseUrl the public origin, without trailing slash */
export const callbackOf = (baseUrl: string): string => `${baseUrl}/api/auth/callback`;

/** An authorization request with PKCE (RFC 6749, section 4.1.1; RFC 7636, section 4.3). @param baseUrl of the dashboard */
export function authorizationPath(parameters: {
  clientId: string;
  baseUrl: string;
  state: string;
  challenge: string;
  prompt?: 'login' | undefined;
}): string {
  const { clientId, baseUrl, state, challenge, prompt } = parameters;
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    scope: SCOPES.join(' '),
    redirect_uri: callbackOf(baseUrl),
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...(prompt === undefined ? {} : { prompt }),
  });
  return `/oauth2/auth?${query}`;
}

/** The body of Hydra's `POST /admin/clients`: a public client that may only use the authorization code with PKCE. */
export const dashboardClient = (clientId: string, baseUrl: string) => ({
  client_id: clientId,
  client_name: 'Dashboard',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code'],
  response_types: ['code'],
  scope: SCOPES.join(' '),
  redirect_uris: [callbackOf(baseUrl)],
  post_logout_redirect_uris: [`${baseUrl}/`],
  skip_consent: true,
  skip_logout_consent: true,
});

/**
 * An identity schema for operators, in Kratos' format: an email address and a password to sign in with, identifiers for
 * Kratos' second factors, and the role that the dashboard reads.
 */
export const OPERATOR_SCHEMA = {
  $id: 'operator',
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Operator',
  type: 'object',
  properties: {
    traits: {
      type: 'object',
      properties: {
        email: {
          type: 'string',
          format: 'email',
          title: 'E-mail',
          'ory.sh/kratos': {
            credentials: {
              password: { identifier: true },
              totp: { account_name: true },
              webauthn: { identifier: true },
              code: { identifier: true, via: 'email' },
            },
            recovery: { via: 'email' },
            verification: { via: 'email' },
          },
        },
        name: {
          type: 'object',
          properties: { first: { type: 'string', title: 'First name' }, last: { type: 'string', title: 'Last name' } },
          additionalProperties: false,
        },
        role: { type: 'string', title: 'Role', enum: [...rolesWith([])] },
      },
      required: ['email', 'role'],
      additionalProperties: false,
    },
  },
};

/** The schema of operators; without the trait `role` if roles are stored in `metadata_admin`. */
export function operatorSchema({ roleFrom, roles }: { roleFrom: RoleSource; roles: readonly Role[] }): object {
  const { role, ...others } = OPERATOR_SCHEMA.properties.traits.properties;
  const traits =
    roleFrom === 'traits.role'
      ? { ...OPERATOR_SCHEMA.properties.traits, properties: { ...others, role: { ...role, enum: roles } } }
      : { ...OPERATOR_SCHEMA.properties.traits, properties: others, required: ['email'] };
  return { ...OPERATOR_SCHEMA, properties: { traits } };
}

/** The roles that a Kratos schema allows in `traits.role`: `any` if it lists none, undefined without that trait. */
export function rolesOf(schema: unknown): readonly string[] | 'any' | undefined {
  const traits = membersOf(membersOf(membersOf(schema)['properties'])['traits']);
  const role = membersOf(traits['properties'])['role'];
  if (role === undefined) return undefined;
  const { enum: named, const: only } = membersOf(role);
  if (typeof only === 'string') return [only];
  return Array.isArray(named) ? texts(named) : 'any';
}
