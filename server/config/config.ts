import { hash } from 'node:crypto';
import type { Role, RoleSource } from '../../shared/capabilities.ts';
import type { Deployment, UpstreamFacts, UpstreamName } from '../../shared/upstreams.ts';
import type { DatabaseAddress } from '../db/database-address.ts';
import { isFronted, isLoopbackAddress, isLoopbackHost, networkTest } from '../networks.ts';
import type { Variable } from './variables.ts';

/** The configuration, read from the environment, validated and complete. */
export interface Config {
  production: boolean;
  deployment: Deployment;
  /** A label for this installation next to its deployment, such as `staging`. */
  environmentLabel: string | undefined;
  host: string;
  port: number;
  /** The public origin, without trailing slash: `https://dashboard.example`. */
  baseUrl: string;
  /** Whether cookies are `Secure`: in production, and whenever `baseUrl` is https. */
  secureCookies: boolean;
  allowedHosts: readonly string[];
  sessionKeys: KeyRing;
  encryptionKeys: KeyRing;
  database: DatabaseAddress;
  /** Whether a start runs migrations, or waits until another process has run them. */
  migrations: 'run' | 'wait';
  auth: {
    provider: OAuthServer | OpenidProvider;
    clientId: string;
    /**
     * The admin API of the Kratos with the operators' identities, if there is one, and the public API of the same
     * Kratos.
     */
    store: OperatorsApi & { publicUrl: string | undefined; publicUrlVariable: Variable };
    /** The admin API of the Hydra where operators sign in; no address with an OpenID provider. */
    oauthAdmin: OperatorsApi;
    operators: OperatorSource;
    roleFrom: RoleSource;
    /** The roles with which operators may sign in (EXTRA_ROLES), those that may do more first. */
    roles: readonly Role[];
    /** Only identities with these schemas may sign in. Undefined and `any` both allow all; `any` is explicit. */
    operatorSchemaIds: readonly string[] | 'any' | undefined;
  };
  /** Whether the app lets nobody end or delete anything without a reason. */
  requireReason: boolean;
  upstreams: readonly Upstream[];
  proxyTimeoutMs: number;
  proxyRequireSession: ProxySessionRule;
  /** False if the default applies and could be another. */
  proxyRequireSessionIsSet: boolean;
  /** Express's `trust proxy`: a number of hops or a list of CIDR ranges. */
  trustProxy: number | readonly string[] | undefined;
  /** CIDR ranges that may connect; undefined allows all. */
  allowedNetworks: readonly string[] | undefined;
  /** A PEM file with authorities to trust besides Node's. */
  extraCaCerts: string | undefined;
  /** How long a caller's connection may be idle. */
  keepAliveSeconds: number;
  /** Where the index of identities is stored, if at all; a file by its absolute path. */
  identityIndex: 'memory' | 'off' | { file: string };
  identityIndexMaxMegabytes: number;
  settingsCacheTtlSeconds: number;
  /**
   * MaxMind DB files for locating addresses, empty if that is off; `installed`: the country file of the optional
   * package.
   */
  geoDatabase: 'installed' | readonly string[];
  /** Where Prometheus reads metrics, if at all. */
  metrics: { host: string; port: number } | undefined;
  /** Where Kratos and Hydra send the events of the sign-in log, if at all, and for how many days they are stored. */
  events: { host: string; port: number; key: string | undefined; days: number } | undefined;
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
}

/** An OAuth 2.0 server such as Hydra (AUTH_URL). */
export interface OAuthServer {
  kind: 'oauth2';
  /** Its browser-facing base address, without trailing slash. */
  url: string;
  /** Base address for the token and userinfo calls. */
  internalUrl: string;
}

/** An OpenID provider (AUTH_ISSUER). */
export interface OpenidProvider {
  kind: 'openid';
  /** As written: `https://tenant.auth0.com/` has a trailing slash. */
  issuer: string;
  /** Undefined for a public client. */
  clientSecret: string | undefined;
  /** Separated by spaces; includes `openid`. */
  scope: string;
  /** Whether a sign-out ends the provider's session as well. */
  signsOut: boolean;
}

/**
 * Who is an operator (OPERATORS_FROM). `identity`: `sub` is the id of an identity in the operators' store. `email`: the
 * verified address names one there. `claims`: whoever has a role by the provider's claims.
 */
export type OperatorSource = { from: 'identity' | 'email'; emailVerifiedAssumed: boolean } | RoleClaim;

/** Which values of a claim give which role. */
export interface RoleClaim {
  from: 'claims';
  /** A JSON Pointer (RFC 6901): `/realm_access/roles`. */
  roleClaim: string;
  roleValues: ReadonlyMap<Role, readonly string[]>;
  emailVerifiedAssumed: boolean;
}

/** The claim that counts only if it is verified; its values are compared in lower case. */
export const EMAIL_CLAIM = '/email';

/**
 * Identifies an OpenID provider and the way in which it names operators, so that no session outlives a change of either:
 * the same id may then mean somebody else. Undefined with AUTH_URL.
 */
export const signInSource = ({ provider, operators }: Config['auth']): string | undefined =>
  provider.kind === 'openid' ? `${operators.from}:${hash('sha256', provider.issuer).slice(0, 32)}` : undefined;

/** The key that signs or encrypts, and older ones that only verify or decrypt. Raw UTF-8 text, at least 32 bytes. */
export interface KeyRing {
  current: string;
  previous?: string;
}

/** One proxied API. `url` has no trailing slash; if it is undefined, the proxy responds with 502. */
export interface Upstream extends UpstreamFacts {
  /** `/api/<name>` */
  prefix: string;
  url: string | undefined;
}

/** The admin API of a service through which operators sign in: one of the upstreams, or another one. */
export interface OperatorsApi {
  /** Undefined if it is not set and has no default. */
  url: string | undefined;
  /** The variable that sets it, or should. */
  urlVariable: Variable;
  /** Its bearer key, if set in the environment. */
  key: string | undefined;
  keyVariable: 'AUTH_IDENTITY_ADMIN_KEY' | 'AUTH_ADMIN_KEY';
  /** The upstream with the same origin. The stored key of any other upstream must not be sent there. */
  upstream: UpstreamName | undefined;
}

/** Who may use the `*-admin` proxies without a session. */
export type ProxySessionRule = 'outside' | 'always' | 'never';

/** Words that are typical of example keys. */
const EXAMPLE = /change|example|secret|test|your-/i;
const PERIOD_MAX = 16;

/** Whether a key looks copied from an example, or repeats a few characters. */
export const looksLikePlaceholder = (key: string): boolean =>
  EXAMPLE.test(key) ||
  Array.from({ length: PERIOD_MAX }, (_, index) => index + 1).some((period) => key.startsWith(key.slice(period)));

/** The keys that are set, by their variables. */
export const keysByVariable = ({
  sessionKeys,
  encryptionKeys,
  events,
}: Pick<Config, 'sessionKeys' | 'encryptionKeys'> & Partial<Pick<Config, 'events'>>) =>
  Object.entries({
    SESSION_SIGNING_KEY: sessionKeys.current,
    ENCRYPTION_KEY: encryptionKeys.current,
    SESSION_SIGNING_KEY_PREVIOUS: sessionKeys.previous,
    ENCRYPTION_KEY_PREVIOUS: encryptionKeys.previous,
    EVENTS_KEY: events?.key,
  }).filter((entry): entry is [string, string] => entry[1] !== undefined);

/** Something the current configuration leaves exposed, guessable or unreachable. */
export interface Exposure {
  /** The environment variable that corrects it. */
  variable: string;
  /** What it means, without any value. */
  text: string;
}

/** The notice at startup if PROXY_REQUIRE_SESSION is not set. */
export function sessionRuleNotice({ proxyRequireSession, proxyRequireSessionIsSet }: Config): Exposure | undefined {
  if (proxyRequireSessionIsSet) return undefined;
  const rule =
    proxyRequireSession === 'always'
      ? 'true: every caller of the admin proxies needs an admin session. Set it to outside to admit loopback and private networks without one'
      : 'outside: the admin proxies serve loopback and private networks without a session. Set it to true to require one from every caller';
  return { variable: 'PROXY_REQUIRE_SESSION', text: `is not set and defaults to ${rule}` };
}

const isPlainHttp = (url: string): boolean =>
  new URL(url).protocol === 'http:' && !isLoopbackHost(new URL(url).hostname);

/** The variables of each service of which only one API has an address: first the one that is not set. */
export const halfConfigured = ({ upstreams }: Pick<Config, 'upstreams'>): [unset: string, set: string][] =>
  upstreams.flatMap(({ url, urlVariable, counterpart }) =>
    upstreams
      .filter((other) => url !== undefined && other.name === counterpart && other.url === undefined)
      .map((other): [string, string] => [other.urlVariable, urlVariable]),
  );

/** Warnings that the service logs at startup, so that nothing is exposed silently. */
export function exposures(config: Config): Exposure[] {
  const found: Exposure[] = [];
  const say = (variable: string, text: string): void => void found.push({ variable, text });
  const { auth } = config;

  if (auth.operatorSchemaIds === undefined && auth.operators.from === 'identity')
    say('OPERATOR_SCHEMA_IDS', 'is unset: an identity of any schema may sign in if it has a role');
  const { provider } = auth;
  if (provider.kind === 'oauth2' && isPlainHttp(provider.url))
    say('AUTH_URL', 'is plain http: authorization codes cross the network unprotected');
  for (const [name, key] of keysByVariable(config))
    if (looksLikePlaceholder(key)) say(name, 'looks like a placeholder: generate a random one');
  const { key, upstream, keyVariable, url } = auth.store;
  if (url !== undefined && key === undefined && upstream === undefined)
    say(
      keyVariable,
      'is not set: requests to the operators’ store are sent without a key, since no stored key belongs to it',
    );
  for (const [unset, set] of halfConfigured(config))
    say(unset, `is not set, but ${set} is: pages that need both APIs of this service do not work`);
  const isReachable = !isLoopbackAddress(config.host) || isFronted(config);
  if (config.proxyRequireSession === 'never' && (isReachable || config.production))
    say(
      'PROXY_REQUIRE_SESSION',
      'is false: without a session, everyone who can reach the port can read and change every identity and every OAuth client',
    );
  else if (config.proxyRequireSession === 'outside' && isReachable)
    say('PROXY_REQUIRE_SESSION', 'is outside: the admin proxies serve everyone on loopback and private networks');
  const { allowedNetworks, metrics, events } = config;
  if (events !== undefined && !isLoopbackAddress(events.host))
    say(
      'EVENTS_HOST',
      'is not loopback: events and their key arrive over plain http. Let only Kratos and Hydra reach that port',
    );
  if (allowedNetworks !== undefined && metrics === undefined && !networkTest(allowedNetworks)('127.0.0.1'))
    say(
      'ALLOWED_NETWORKS',
      'does not include loopback: a health check on this machine, such as that of the image, is refused. Add 127.0.0.1, or set METRICS_PORT, which answers health checks as well',
    );
  return found;
}
