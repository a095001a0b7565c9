import { isAbsolute, resolve } from 'node:path';
import { DEPLOYMENTS, isBearerKey, UPSTREAMS, upstreamPrefix } from '../../shared/upstreams.ts';
import { type DatabaseAddress, parseDatabaseUrl } from '../db/database-address.ts';
import { coversEverything, isCidr, isLoopbackAddress, isLoopbackHost, PRIVATE_NETWORKS } from '../networks.ts';
import { type Config, type KeyRing, keysByVariable, type ProxySessionRule } from './config.ts';
import { readAuth } from './parse-auth.ts';
import { isBuilt, KEY_VARIABLES, unreadVariables, type VariableReader, variableReader } from './variables.ts';

/** An invalid environment; the message lists every problem, one per line, but no value. */
export class ConfigurationError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}

/**
 * Parses environment variables into a complete configuration. An empty variable counts as unset, and a secret may be
 * given as a file.
 * @throws ConfigurationError that lists all problems; it names variables, never their values
 */
export function parseConfig(env: NodeJS.ProcessEnv): Config {
  const reader = variableReader(env);
  const installation = readInstallation(reader);
  const listener = readListener(reader, installation);
  const keys = readKeys(reader, installation.production);
  const events = readEvents(reader, { ...installation, ...listener }, keys);
  const proxies = readProxies(reader, installation.production, listener.baseUrl);
  const config: Config = {
    ...installation,
    ...listener,
    ...keys,
    ...proxies,
    events,
    auth: readAuth(reader, proxies.upstreams, installation.deployment),
    requireReason: reader.oneOf('REQUIRE_REASON', ['true', 'false'], 'false') === 'true',
    database: readDatabase(reader, installation),
    migrations: reader.oneOf('MIGRATIONS', ['run', 'wait'], 'run'),
    identityIndex: readIdentityIndex(reader),
    identityIndexMaxMegabytes: reader.integer('IDENTITY_INDEX_MAX_MB', 128, 16, 65_536),
    geoDatabase: readGeoDatabase(reader),
    settingsCacheTtlSeconds: reader.integer('SETTINGS_CACHE_TTL_SECONDS', 60, 0, 86_400),
    extraCaCerts: reader.text('NODE_EXTRA_CA_CERTS'),
    logLevel: reader.oneOf('LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
  };
  if (reader.problems.length === 0) return config;
  const unread = unreadVariables(env).map(({ variable, text }) => `${variable} ${text}`);
  throw new ConfigurationError([...reader.problems, ...unread]);
}

type Installation = ReturnType<typeof readInstallation>;

function readInstallation({ text, oneOf, refuse }: VariableReader) {
  const mode = oneOf('NODE_ENV', ['development', 'test', 'production'], isBuilt ? 'production' : 'development');
  // A forgotten variable must not open anything.
  const production = isBuilt ? mode !== 'development' : mode === 'production';
  const deployment = oneOf('DEPLOYMENT', DEPLOYMENTS, 'customer');
  const environmentLabel = text('ENVIRONMENT_LABEL');
  if (environmentLabel !== undefined && !/^[\p{L}\p{N}\p{P}\p{S} ]{1,24}$/u.test(environmentLabel))
    refuse('ENVIRONMENT_LABEL', 'must have at most 24 visible characters');
  return { production, deployment, environmentLabel };
}

const HOST = /^[a-z0-9.:_-]+$/i;

/** Where the service listens, under which addresses it is reached, and who may connect. */
function readListener(reader: VariableReader, { production, deployment }: Installation) {
  const { text, list, integer, networks, refuse } = reader;
  const workforce = deployment === 'workforce';
  const host = text('HOST') ?? '127.0.0.1';
  if (!HOST.test(host)) refuse('HOST', 'must be an IP address or a host name');
  const port = integer('PORT', workforce ? 4000 : 3000, 0, 65_535);
  const baseUrl = readBaseUrl(reader, production) ?? `http://localhost:${port}`;
  const allowedHosts = (list('ALLOWED_HOSTS') ?? []).map((name) => name.toLowerCase());
  if (allowedHosts.some((name) => !/^[a-z0-9._-]+$/.test(name)))
    refuse('ALLOWED_HOSTS', 'must be a comma-separated list of host names without ports');
  const allowedNetworks = networks('ALLOWED_NETWORKS') ?? (workforce ? PRIVATE_NETWORKS : undefined);
  if (production && workforce && allowedNetworks !== undefined && coversEverything(allowedNetworks))
    refuse('ALLOWED_NETWORKS', 'must not cover every address in a workforce deployment in production');
  return {
    host,
    port,
    baseUrl,
    secureCookies: production || baseUrl.startsWith('https:'),
    allowedHosts,
    allowedNetworks,
    trustProxy: readTrustProxy(reader, production),
    keepAliveSeconds: integer('KEEP_ALIVE_SECONDS', 75, 1, 7_200),
    metrics: readMetrics(reader, port),
  };
}

function readBaseUrl({ text, address, refuse }: VariableReader, production: boolean): string | undefined {
  if (text('BASE_URL') === undefined && production) return refuse('BASE_URL', 'is required in production');
  const value = address('BASE_URL');
  if (value === undefined) return undefined;
  const url = new URL(value);
  if (url.origin !== value) return refuse('BASE_URL', 'must be an origin, without a path');
  if (production && url.protocol !== 'https:' && !isLoopbackHost(url.hostname))
    return refuse('BASE_URL', 'must be https in production');
  return value;
}

function readTrustProxy({ text, list, refuse }: VariableReader, production: boolean): Config['trustProxy'] {
  const value = text('TRUST_PROXY');
  if (value === undefined || value === '0' || value === 'false') return undefined;
  if (/^\d$/.test(value)) return Number(value);
  const ranges = list('TRUST_PROXY') ?? [];
  // With a range that covers everything, whatever a caller sends would be trusted; Express does not check for this.
  if (ranges.some((range) => range.endsWith('/0')) || (production && ranges.every(isCidr) && coversEverything(ranges)))
    return refuse('TRUST_PROXY', 'must not cover every address');
  if (ranges.every(isCidr)) return ranges;
  return refuse('TRUST_PROXY', 'must be a hop count from 1 to 9 or a comma-separated list of CIDR ranges');
}

function readMetrics({ text, integer, refuse }: VariableReader, servicePort: number): Config['metrics'] {
  const host = text('METRICS_HOST') ?? '127.0.0.1';
  if (!HOST.test(host)) refuse('METRICS_HOST', 'must be an IP address or a host name');
  if (text('METRICS_PORT') === undefined) return undefined;
  const port = integer('METRICS_PORT', 0, 0, 65_535);
  if (port === servicePort && port !== 0) refuse('METRICS_PORT', 'must differ from PORT');
  return { host, port };
}

const KEY_MIN_BYTES = 32;
const KEY_MIN_DIFFERENT_BYTES = 8;

const weaknessOf = (key: string, production: boolean): string | undefined => {
  const bytes = Buffer.from(key, 'utf8');
  if (bytes.length < KEY_MIN_BYTES) return `must have at least ${KEY_MIN_BYTES} bytes`;
  return production && new Set(bytes).size < KEY_MIN_DIFFERENT_BYTES
    ? `must have at least ${KEY_MIN_DIFFERENT_BYTES} different bytes`
    : undefined;
};

/** Reads both key rings. A key is the variable's UTF-8 bytes, never decoded; all keys must differ. */
function readKeys({ read, refuse }: VariableReader, production: boolean) {
  const keys = new Map<string, string>();
  for (const name of KEY_VARIABLES) {
    const value = read(name);
    if (value === undefined || value === '') {
      if (!name.endsWith('_PREVIOUS')) refuse(name, 'is required');
      continue;
    }
    const weakness = weaknessOf(value, production);
    if (weakness !== undefined) refuse(name, weakness);
    const twin = [...keys].find(([, other]) => other === value);
    if (twin !== undefined) refuse(name, `must differ from ${twin[0]}`);
    keys.set(name, value);
  }
  const ring = (name: string): KeyRing => ({ current: keys.get(name) ?? '', previous: keys.get(`${name}_PREVIOUS`) });
  return { sessionKeys: ring('SESSION_SIGNING_KEY'), encryptionKeys: ring('ENCRYPTION_KEY') };
}

/** The key opens only this listener; beyond loopback it is required. It is checked even where the listener is off. */
function readEvents(
  { text, read, integer, refuse }: VariableReader,
  { production, port: servicePort, metrics }: Pick<Config, 'production' | 'port' | 'metrics'>,
  keys: Pick<Config, 'sessionKeys' | 'encryptionKeys'>,
): Config['events'] {
  const host = text('EVENTS_HOST') ?? '127.0.0.1';
  if (!HOST.test(host)) refuse('EVENTS_HOST', 'must be an IP address or a host name');
  const days = integer('EVENTS_DAYS', 30, 1, 365);
  const key = read('EVENTS_KEY') || undefined;
  if (key !== undefined) {
    const others = [...keysByVariable(keys), ...OTHER_KEYS.map((name) => [name, read(name)] as const)];
    const twin = others.find(([, other]) => other?.trim() === key);
    const weakness = isBearerKey(key) ? weaknessOf(key, production) : 'must consist of visible ASCII characters';
    if (weakness !== undefined) refuse('EVENTS_KEY', weakness);
    else if (twin !== undefined) refuse('EVENTS_KEY', `must differ from ${twin[0]}`);
  }
  if (text('EVENTS_PORT') === undefined) return undefined;
  const port = integer('EVENTS_PORT', 0, 0, 65_535);
  if (port !== 0 && port === servicePort) refuse('EVENTS_PORT', 'must differ from PORT');
  if (port !== 0 && port === metrics?.port) refuse('EVENTS_PORT', 'must differ from METRICS_PORT');
  if (key === undefined && !isLoopbackAddress(host)) refuse('EVENTS_KEY', 'is required if EVENTS_HOST is not loopback');
  return { host, port, key, days };
}

const OTHER_KEYS = ['AUTH_IDENTITY_ADMIN_KEY', 'AUTH_ADMIN_KEY', 'OAUTH_CLIENT_SECRET'] as const;

const REQUIRE_SESSION: Record<string, ProxySessionRule> = { outside: 'outside', true: 'always', false: 'never' };

function readProxies({ text, address, integer, refuse }: VariableReader, production: boolean, baseUrl: string) {
  const upstreams = UPSTREAMS.map((facts) => ({
    ...facts,
    prefix: upstreamPrefix(facts.name),
    url: address(facts.urlVariable),
  }));
  const isPublic = production && !isLoopbackHost(new URL(baseUrl).hostname);
  const given = text('PROXY_REQUIRE_SESSION');
  const isLimited = text('EXTRA_ROLES') !== undefined;
  const requireSession = given ?? (isPublic || isLimited ? 'true' : 'outside');
  // Where no session is needed, no role limits a caller.
  if (isLimited && requireSession !== 'true') refuse('PROXY_REQUIRE_SESSION', 'must be true with EXTRA_ROLES');
  const adminApis = upstreams.flatMap(({ admin, url }) => (admin && url !== undefined ? [`${url}/`] : []));
  for (const { admin, url, urlVariable } of upstreams)
    if (isLimited && !admin && adminApis.some((one) => one.startsWith(`${url}/`)))
      refuse(urlVariable, 'must not lead to an admin API with EXTRA_ROLES: its prefix requires no session');
  if (!Object.hasOwn(REQUIRE_SESSION, requireSession))
    refuse('PROXY_REQUIRE_SESSION', 'must be one of outside, true, false');
  return {
    upstreams,
    proxyTimeoutMs: integer('PROXY_TIMEOUT_MS', 5000, 1000, 600_000),
    proxyRequireSession: REQUIRE_SESSION[requireSession] ?? 'always',
    proxyRequireSessionIsSet: given !== undefined || isLimited,
  };
}

function readDatabase({ text, refuse }: VariableReader, { production, deployment }: Installation): DatabaseAddress {
  const fallback: DatabaseAddress = { client: 'sqlite', path: `./data/${deployment}.sqlite` };
  const value = text('DATABASE_URL');
  if (value === undefined) {
    if (production) refuse('DATABASE_URL', 'is required in production');
    return fallback;
  }
  try {
    return parseDatabaseUrl(value);
  } catch (error) {
    const form = 'must be sqlite:PATH or mysql://user:password@host/database';
    return refuse('DATABASE_URL', `${form}; it ${(error as Error).message}`) ?? fallback;
  }
}

/** The width of the database column for the path. */
const INDEX_PATH_MAX_BYTES = 1_024;

function readIdentityIndex({ text, refuse }: VariableReader): Config['identityIndex'] {
  const value = text('IDENTITY_INDEX') ?? 'memory';
  if (value === 'memory' || value === 'off') return value;
  const isFile = isAbsolute(value) && !/[/\\]$|\0/.test(value) && Buffer.byteLength(value) <= INDEX_PATH_MAX_BYTES;
  if (!isFile) refuse('IDENTITY_INDEX', 'must be memory, off or the absolute path of a file');
  return { file: resolve(value) };
}

function readGeoDatabase({ list, refuse }: VariableReader): Config['geoDatabase'] {
  const files = list('GEOIP_DATABASE') ?? [];
  if (files.length === 0) return 'installed';
  if (files.length === 1 && files[0] === 'off') return [];
  if (!files.every((file) => file.endsWith('.mmdb')))
    refuse('GEOIP_DATABASE', 'must be off or a comma-separated list of paths that end in .mmdb');
  return files;
}
