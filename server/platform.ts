import { ROLES, type RoleSource } from '../shared/capabilities.ts';
import { membersOf, texts } from '../shared/json.ts';

/** What the dashboard asks for at sign-in. */
export const SCOPES: readonly string[] = ['openid', 'profile', 'email'];

/** Where the OAuth 2.0 server sends operators back to. @param baseUrl the public origin, without trailing slash */
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

/**
 * The dashboard's OAuth 2.0 client as Hydra's `POST /admin/clients` takes it: public, authorization code with PKCE, and
 * nothing beyond that.
 */
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
 * An identity schema for operators, as Kratos takes it: an email address and a password to sign in with, both factors
 * that Kratos asks for beyond it, and the role that the dashboard reads.
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
          title: 'Email',
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
        role: { type: 'string', title: 'Role', enum: [...ROLES] },
      },
      required: ['email', 'role'],
      additionalProperties: false,
    },
  },
};

/** The same where roles are kept elsewhere than in the traits. */
export function operatorSchema(roleFrom: RoleSource): object {
  if (roleFrom === 'traits.role') return OPERATOR_SCHEMA;
  const { role, ...properties } = OPERATOR_SCHEMA.properties.traits.properties;
  const traits = { ...OPERATOR_SCHEMA.properties.traits, properties, required: ['email'] };
  return { ...OPERATOR_SCHEMA, properties: { traits } };
}

/** The roles that a JSON schema of Kratos allows in `traits.role`: `any` if it names none, undefined without that trait. */
export function rolesOf(schema: unknown): readonly string[] | 'any' | undefined {
  const traits = membersOf(membersOf(membersOf(schema)['properties'])['traits']);
  const role = membersOf(traits['properties'])['role'];
  if (role === undefined) return undefined;
  const { enum: named, const: only } = membersOf(role);
  if (typeof only === 'string') return [only];
  return Array.isArray(named) ? texts(named) : 'any';
}
