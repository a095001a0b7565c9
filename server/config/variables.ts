import { UPSTREAMS, type UpstreamFacts } from '../../shared/upstreams.ts';

export const KEY_VARIABLES = [
  'SESSION_SIGNING_KEY',
  'ENCRYPTION_KEY',
  'SESSION_SIGNING_KEY_PREVIOUS',
  'ENCRYPTION_KEY_PREVIOUS',
] as const;

/** Secrets that may be given as a file as well: `SESSION_SIGNING_KEY_FILE`. */
const SECRETS = [...KEY_VARIABLES, 'DATABASE_URL', 'AUTH_IDENTITY_ADMIN_KEY', 'AUTH_ADMIN_KEY'] as const;

export const FILE_VARIABLES = SECRETS.map((variable) => ({ variable, file: `${variable}_FILE` as const }));

const OTHERS = [
  'NODE_ENV',
  'DEPLOYMENT',
  'HOST',
  'PORT',
  'BASE_URL',
  'ALLOWED_HOSTS',
  'DATABASE_URL',
  'MIGRATIONS',
  'AUTH_URL',
  'AUTH_INTERNAL_URL',
  'OAUTH_CLIENT_ID',
  'AUTH_IDENTITY_ADMIN_URL',
  'AUTH_IDENTITY_ADMIN_KEY',
  'AUTH_IDENTITY_URL',
  'AUTH_ADMIN_URL',
  'AUTH_ADMIN_KEY',
  'OPERATOR_ROLE_FROM',
  'OPERATOR_SCHEMA_IDS',
  'PROXY_TIMEOUT_MS',
  'PROXY_REQUIRE_SESSION',
  'TRUST_PROXY',
  'ALLOWED_NETWORKS',
  'KEEP_ALIVE_SECONDS',
  'GEOIP_DATABASE',
  'IDENTITY_INDEX',
  'IDENTITY_INDEX_MAX_MB',
  'SETTINGS_CACHE_TTL_SECONDS',
  'ENVIRONMENT_LABEL',
  'LOG_LEVEL',
  'METRICS_HOST',
  'METRICS_PORT',
] as const;

/** The name of an environment variable that the service reads; another one cannot be read, since it does not compile. */
export type Variable =
  | (typeof KEY_VARIABLES)[number]
  | (typeof OTHERS)[number]
  | (typeof FILE_VARIABLES)[number]['file']
  | UpstreamFacts['urlVariable'];

/** Every environment variable of the service. */
export const VARIABLES: readonly Variable[] = [
  ...KEY_VARIABLES,
  ...OTHERS,
  ...FILE_VARIABLES.map(({ file }) => file),
  ...UPSTREAMS.map(({ urlVariable }) => urlVariable),
];
