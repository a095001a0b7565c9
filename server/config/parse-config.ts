import { isAbsolute, resolve } from 'node:path';
import { ROLE_SOURCES } from '../../shared/capabilities.ts';
import { DEPLOYMENTS, type Deployment, isBearerKey, UPSTREAMS, upstreamPrefix } from '../../shared/upstreams.ts';
import { type DatabaseAddress, parseDatabaseUrl } from '../db/database-address.ts';
import { coversEverything, isCidr, isLoopbackHost, PRIVATE_NETWORKS } from '../networks.ts';
import type { Config, ProxySessionRule } from './config.ts';
import { operatorsApis, readKeys } from './config.ts';
import type { Variable } from './variables.ts';
import { isBuilt, isServiceLink, readSecretFiles, unreadVariables } from './variables.ts';

/** An invalid environment; the message lists every problem, one per line, but no value. */
export class ConfigurationError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}

/** The width of the database column for the path. */
const INDEX_PATH_MAX_BYTES = 1_024;
const HOST = /^[a-z0-9.:_-]+$/i;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const REQUIRE_SESSION: Record<string, ProxySessionRule> = { outside: 'outside', true: 'always', false: 'never' };

/**
 * Parses environment variables into a complete configuration. An empty variable counts as unset, and a secret may be
 * given as a file.
 * @throws ConfigurationError that lists all problems; it names variables, never their values
 */
export function parseConfig(env: NodeJS.ProcessEnv): Config {
  const problems: string[] = [];
  const secrets = readSecretFiles(env, (name, problem) => problems.push(`${name} ${problem}`));
  const isRefused = (name: string): boolean => secrets.has(name) && secrets.get(name) === undefined;
  const read = (name: Variable): string | undefined => {
    if (secrets.has(name)) return secrets.get(name);
    return isServiceLink(name, env[name]) ? undefined : env[name];
  };
  const refuse = (name: string, problem: string): undefined => {
    if (!isRefused(name)) problems.push(`${name} ${problem}`);
    return undefined;
  };
  const text = (name: Variable): string | undefined => read(name)?.trim() || undefined;
  const list = (name: Variable): string[] | undefined =>
    text(name)
      ?.split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');

  function oneOf<T extends string>(name: Variable, allowed: readonly T[], fallback: T): T {
    const value = text(name);
    if (value === undefined) return fallback;
    const known = allowed.find((item) => item === value);
    return known ?? refuse(name, `must be one of ${allowed.join(', ')}`) ?? fallback;
  }
  function integer(name: Variable, fallback: number, min: number, max: number): number {
    const value = text(name);
    if (value === undefined) return fallback;
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    return number >= min && number <= max
      ? number
      : (refuse(name, `must be a whole number from ${min} to ${max}`) ?? fallback);
  }
  /** An http(s) address without query, fragment or credentials; a trailing slash is dropped. */
  function address(name: Variable): string | undefined {
    const value = text(name);
    if (value === undefined) return undefined;
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
      return refuse(name, 'must be an http or https URL without credentials, query and fragment');
    return url.href.replace(/\/+$/, '');
  }
  function networks(name: Variable): string[] | undefined {
    const ranges = list(name);
    if (ranges?.some((range) => !isCidr(range))) refuse(name, 'must be a comma-separated list of CIDR ranges');
    return ranges?.every(isCidr) ? ranges : undefined;
  }

  const mode = oneOf('NODE_ENV', ['development', 'test', 'production'], isBuilt ? 'production' : 'development');
  // A forgotten variable must not open anything.
  const production = isBuilt ? mode !== 'development' : mode === 'production';
  const deployment: Deployment = oneOf('DEPLOYMENT', DEPLOYMENTS, 'customer');
  const workforce = deployment === 'workforce';
  const environmentLabel = text('ENVIRONMENT_LABEL');
  if (environmentLabel !== undefined && !/^[\p{L}\p{N}\p{P}\p{S} ]{1,24}$/u.test(environmentLabel))
    refuse('ENVIRONMENT_LABEL', 'must have at most 24 visible characters');
  for (const name of ['AUTH_IDENTITY_ADMIN_KEY', 'AUTH_ADMIN_KEY'] as const)
    if (!isBearerKey(text(name) ?? 'none'))
      refuse(name, 'must be printable ASCII without spaces, since it is sent in a header');
  const host = text('HOST') ?? '127.0.0.1';
  if (!HOST.test(host)) refuse('HOST', 'must be an IP address or a host name');
  const port = integer('PORT', workforce ? 4000 : 3000, 0, 65_535);
  const baseUrl = readBaseUrl() ?? `http://localhost:${port}`;

  function readBaseUrl(): string | undefined {
    if (text('BASE_URL') === undefined && production) return refuse('BASE_URL', 'is required in production');
    const value = address('BASE_URL');
    if (value === undefined) return undefined;
    const url = new URL(value);
    if (url.origin !== value) return refuse('BASE_URL', 'must be an origin, without a path');
    if (production && url.protocol !== 'https:' && !isLoopbackHost(url.hostname))
      return refuse('BASE_URL', 'must be https in production');
    return value;
  }

  const allowedHosts = (list('ALLOWED_HOSTS') ?? []).map((name) => name.toLowerCase());
  if (allowedHosts.some((name) => !/^[a-z0-9._-]+$/.test(name)))
    refuse('ALLOWED_HOSTS', 'must be a comma-separated list of host names without ports');

  const keys = readKeys(read, production, refuse);

  function database(): DatabaseAddress {
    const fallback: DatabaseAddress = { client: 'sqlite', path: `./data/${deployment}.sqlite` };
    const value = text('DATABASE_URL');
    if (value === undefined) {
      if (production) refuse('DATABASE_URL', 'is required in production');
      return fallback;
    }
    try {
      return parseDatabaseUrl(value);
    } catch (error) {
      const wanted = 'must be sqlite:PATH or mysql://user:password@host/database';
      return refuse('DATABASE_URL', `${wanted}; it ${(error as Error).message}`) ?? fallback;
    }
  }

  const upstreams = UPSTREAMS.map((facts) => ({
    ...facts,
    prefix: upstreamPrefix(facts.name),
    url: address(facts.urlVariable),
  }));
  const authUrl = address('AUTH_URL') ?? '';
  const internalUrl = address('AUTH_INTERNAL_URL') ?? authUrl;
  const { store, oauthAdmin } = operatorsApis({
    read: (name) => (name.endsWith('_KEY') ? text(name) : address(name)),
    upstreams,
    deployment,
    authUrls: [authUrl, internalUrl],
  });
  if (text('AUTH_URL') === undefined) refuse('AUTH_URL', 'is required');
  const clientId = text('OAUTH_CLIENT_ID') ?? '';
  if (clientId === '') refuse('OAUTH_CLIENT_ID', 'is required');
  const operatorSchemaIds = text('OPERATOR_SCHEMA_IDS') === 'any' ? 'any' : list('OPERATOR_SCHEMA_IDS');
  const roleFrom = oneOf('OPERATOR_ROLE_FROM', ROLE_SOURCES, 'traits.role');
  const needStore = 'needs an identity store (AUTH_IDENTITY_ADMIN_URL or the deployment’s admin URL)';
  if (store.url === undefined && Array.isArray(operatorSchemaIds)) refuse('OPERATOR_SCHEMA_IDS', needStore);
  if (store.url === undefined && roleFrom !== 'traits.role') refuse('OPERATOR_ROLE_FROM', needStore);

  const isPublic = production && !isLoopbackHost(new URL(baseUrl).hostname);
  const requireSession = text('PROXY_REQUIRE_SESSION') ?? (isPublic ? 'true' : 'outside');
  if (!Object.hasOwn(REQUIRE_SESSION, requireSession))
    refuse('PROXY_REQUIRE_SESSION', 'must be one of outside, true, false');

  function trustProxy(): Config['trustProxy'] {
    const value = text('TRUST_PROXY');
    if (value === undefined || value === '0' || value === 'false') return undefined;
    if (/^\d$/.test(value)) return Number(value);
    const ranges = list('TRUST_PROXY') ?? [];
    // With a range that covers everything, whatever a caller sends would be trusted; Express does not check for this.
    if (
      ranges.some((range) => range.endsWith('/0')) ||
      (production && ranges.every(isCidr) && coversEverything(ranges))
    )
      return refuse('TRUST_PROXY', 'must not cover every address');
    if (ranges.every(isCidr)) return ranges;
    return refuse('TRUST_PROXY', 'must be a hop count from 1 to 9 or a comma-separated list of CIDR ranges');
  }

  const allowedNetworks = networks('ALLOWED_NETWORKS') ?? (workforce ? PRIVATE_NETWORKS : undefined);
  if (production && workforce && allowedNetworks !== undefined && coversEverything(allowedNetworks))
    refuse('ALLOWED_NETWORKS', 'must not cover every address in a workforce deployment in production');

  function geoDatabase(): Config['geoDatabase'] {
    const files = list('GEOIP_DATABASE') ?? [];
    if (files.length === 0) return 'installed';
    if (files.length === 1 && files[0] === 'off') return [];
    if (!files.every((file) => file.endsWith('.mmdb')))
      refuse('GEOIP_DATABASE', 'must be off or a comma-separated list of paths that end in .mmdb');
    return files;
  }

  function identityIndex(): Config['identityIndex'] {
    const value = text('IDENTITY_INDEX') ?? 'memory';
    if (value === 'memory' || value === 'off') return value;
    const isFile = isAbsolute(value) && !/[/\\]$|\0/.test(value) && Buffer.byteLength(value) <= INDEX_PATH_MAX_BYTES;
    if (!isFile) refuse('IDENTITY_INDEX', 'must be memory, off or the absolute path of a file');
    return { file: resolve(value) };
  }

  function metrics(): Config['metrics'] {
    const metricsHost = text('METRICS_HOST') ?? '127.0.0.1';
    if (!HOST.test(metricsHost)) refuse('METRICS_HOST', 'must be an IP address or a host name');
    if (text('METRICS_PORT') === undefined) return undefined;
    const metricsPort = integer('METRICS_PORT', 0, 0, 65_535);
    if (metricsPort === port && port !== 0) refuse('METRICS_PORT', 'must differ from PORT');
    return { host: metricsHost, port: metricsPort };
  }

  const config: Config = {
    production,
    deployment,
    environmentLabel,
    host,
    port,
    baseUrl,
    secureCookies: production || baseUrl.startsWith('https:'),
    allowedHosts,
    ...keys,
    database: database(),
    migrations: oneOf('MIGRATIONS', ['run', 'wait'], 'run'),
    auth: {
      url: authUrl,
      internalUrl,
      clientId,
      store,
      oauthAdmin,
      roleFrom,
      operatorSchemaIds,
    },
    upstreams,
    proxyTimeoutMs: integer('PROXY_TIMEOUT_MS', 5000, 1000, 600_000),
    proxyRequireSession: REQUIRE_SESSION[requireSession] ?? 'always',
    proxyRequireSessionIsSet: text('PROXY_REQUIRE_SESSION') !== undefined,
    trustProxy: trustProxy(),
    allowedNetworks,
    extraCaCerts: text('NODE_EXTRA_CA_CERTS'),
    keepAliveSeconds: integer('KEEP_ALIVE_SECONDS', 75, 1, 7_200),
    geoDatabase: geoDatabase(),
    identityIndex: identityIndex(),
    identityIndexMaxMegabytes: integer('IDENTITY_INDEX_MAX_MB', 128, 16, 65_536),
    settingsCacheTtlSeconds: integer('SETTINGS_CACHE_TTL_SECONDS', 60, 0, 86_400),
    metrics: metrics(),
    logLevel: oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  };
  if (problems.length === 0) return config;
  const unread = unreadVariables(env).map(({ variable, text: problem }) => `${variable} ${problem}`);
  throw new ConfigurationError([...problems, ...unread]);
}
