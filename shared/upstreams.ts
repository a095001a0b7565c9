/** The two deployments of the dashboard: customers' identities and the workforce's. */
export const DEPLOYMENTS = ['customer', 'workforce'] as const;
export type Deployment = (typeof DEPLOYMENTS)[number];

/** Lists of the admin APIs of Kratos and Hydra, of which one row shows whether a key is accepted. */
export const IDENTITIES_PATH = '/admin/identities';
export const CLIENTS_PATH = '/admin/clients';

/** The discovery document of an issuer: a trailing slash is removed first (OpenID Connect Discovery, section 4). */
export const discoveryAddress = (issuer: string): string =>
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;

const PUBLIC = { admin: false, holdsIdentities: false, holdsPrivateKeys: false, probePath: undefined };
const KRATOS = { admin: true, holdsIdentities: true, holdsPrivateKeys: false, probePath: IDENTITIES_PATH };
const HYDRA = { admin: true, holdsIdentities: false, holdsPrivateKeys: true, probePath: CLIENTS_PATH };

/** The six proxied APIs; `/api/<name>/**` is forwarded to the upstream with that name. */
const TABLE = [
  { name: 'identity', counterpart: 'identity-admin', urlVariable: 'IDENTITY_URL', deployment: 'customer', ...PUBLIC },
  {
    name: 'identity-admin',
    counterpart: 'identity',
    urlVariable: 'IDENTITY_ADMIN_URL',
    deployment: 'customer',
    ...KRATOS,
  },
  {
    name: 'iam-identity',
    counterpart: 'iam-identity-admin',
    urlVariable: 'IAM_IDENTITY_URL',
    deployment: 'workforce',
    ...PUBLIC,
  },
  {
    name: 'iam-identity-admin',
    counterpart: 'iam-identity',
    urlVariable: 'IAM_IDENTITY_ADMIN_URL',
    deployment: 'workforce',
    ...KRATOS,
  },
  { name: 'oauth', counterpart: 'oauth-admin', urlVariable: 'OAUTH_URL', deployment: undefined, ...PUBLIC },
  { name: 'oauth-admin', counterpart: 'oauth', urlVariable: 'OAUTH_ADMIN_URL', deployment: undefined, ...HYDRA },
] as const;

export type UpstreamName = (typeof TABLE)[number]['name'];

export interface UpstreamFacts {
  name: UpstreamName;
  /** The other API of the same service, if it has two: the public one of an admin API, and vice versa. */
  counterpart?: UpstreamName;
  urlVariable: (typeof TABLE)[number]['urlVariable'];
  /** The deployment whose identities the service has; undefined if both deployments use it. */
  deployment: Deployment | undefined;
  /** An admin API: stricter rules for access, headers and errors. */
  admin: boolean;
  /** Kratos' admin API: a write may delete an operator. */
  holdsIdentities: boolean;
  /** Serves private keys on `/admin/keys/**` and `/keys/**`: Hydra's admin API. These paths are never forwarded. */
  holdsPrivateKeys: boolean;
  /** The list, a JSON array, that is read to check the key of an admin API; if undefined, only its health is checked. */
  probePath: string | undefined;
}

export const UPSTREAMS: readonly UpstreamFacts[] = TABLE;
export const UPSTREAM_NAMES: readonly UpstreamName[] = TABLE.map(({ name }) => name);

/** `/api/<name>`: the path prefix of an upstream. */
export const upstreamPrefix = (name: UpstreamName): string => `/api/${name}`;

/** Whether a text can be sent as a bearer token: 1 to 4,096 visible ASCII characters. */
export const isBearerKey = (text: string): boolean => /^[\x21-\x7e]{1,4096}$/.test(text);

/** The setting with the bearer key of an upstream; always stored encrypted. */
export const apiKeySetting = (name: UpstreamName): string => `upstream.${name}.api_key`;

/** The two APIs of the identity service of a deployment. */
export function identityService(deployment: Deployment): { publicApi: UpstreamName; adminApi: UpstreamName } {
  const admin = UPSTREAMS.find((upstream) => upstream.holdsIdentities && upstream.deployment === deployment);
  if (admin?.counterpart === undefined) throw new Error(`no upstream holds the identities of ${deployment}`);
  return { publicApi: admin.counterpart, adminApi: admin.name };
}

/** `GET /api/config`: the effective configuration, without secrets or addresses. */
export interface Configuration {
  deployment: Deployment;
  version: string;
  upstreams: Record<UpstreamName, { configured: boolean; api_key_stored: boolean }>;
  features: {
    /** Where operators sign in: at an OAuth 2.0 server with `AUTH_URL`, at an OpenID provider with `AUTH_ISSUER`. */
    sign_in: 'oauth2' | 'openid';
    /** Who is an operator (OPERATORS_FROM). */
    operators_from: 'identity' | 'email' | 'claims';
    operator_store: boolean;
    operator_schemas_restricted: boolean;
    proxy_require_session: 'outside' | 'always' | 'never';
  };
  session_max_age_seconds: number;
  settings_cache_ttl_seconds: number;
}
