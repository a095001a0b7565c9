import type { RoleSource } from '../../shared/capabilities.ts';
import type { Deployment } from '../../shared/deployment.ts';
import type { UpstreamFacts, UpstreamName } from '../../shared/upstreams.ts';
import type { DatabaseAddress } from '../db/database-address.ts';
import type { Variable } from './variables.ts';

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

/** The admin API of a service that operators sign in through: one of the upstreams, or another one. */
export interface OperatorsApi {
  /** Undefined if it is not known. */
  url: string | undefined;
  /** The variable that names it, or should. */
  urlVariable: Variable;
  /** Its bearer key, if set in the environment. */
  key: string | undefined;
  keyVariable: 'AUTH_IDENTITY_ADMIN_KEY' | 'AUTH_ADMIN_KEY';
  /** The upstream with the same origin. The stored key of any other one must not be sent there. */
  upstream: UpstreamName | undefined;
}

/** Who may use the `*-admin` proxies without a session. */
export type ProxySessionRule = 'outside' | 'always' | 'never';

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
  /** `Secure` cookies: in production, and wherever `baseUrl` is https. */
  secureCookies: boolean;
  allowedHosts: readonly string[];
  sessionKeys: KeyRing;
  encryptionKeys: KeyRing;
  database: DatabaseAddress;
  /** Whether a start runs migrations, or waits until another process has run them. */
  migrations: 'run' | 'wait';
  auth: {
    /** Browser-facing base address of the OAuth 2.0 server, without trailing slash. */
    url: string;
    /** Base address for the token and userinfo calls. */
    internalUrl: string;
    clientId: string;
    /** Kratos' admin API for the identities of the operators, if there is one, and the public API of the same Kratos. */
    store: OperatorsApi & { publicUrl: string | undefined; publicUrlVariable: Variable };
    /** Hydra's admin API of the server at `url`. */
    oauthAdmin: OperatorsApi;
    roleFrom: RoleSource;
    /** Only identities with these schemas may sign in. Undefined and `any` both allow all; `any` is explicit. */
    operatorSchemaIds: readonly string[] | 'any' | undefined;
  };
  upstreams: readonly Upstream[];
  proxyTimeoutMs: number;
  proxyRequireSession: ProxySessionRule;
  /** False if the default applies. */
  proxyRequireSessionIsSet: boolean;
  /** Express' `trust proxy`: a number of hops or a list of CIDR ranges. */
  trustProxy: number | readonly string[] | undefined;
  /** CIDR ranges that may connect; undefined: any. */
  allowedNetworks: readonly string[] | undefined;
  /** How long a caller's connection may be idle. */
  keepAliveSeconds: number;
  /** Where the index of identities is kept, if anywhere; a file by its absolute path. */
  identityIndex: 'memory' | 'off' | { file: string };
  identityIndexMaxMegabytes: number;
  settingsCacheTtlSeconds: number;
  /**
   * MaxMind DB files for locating addresses, empty if that is off; `installed`: the country file of the optional
   * package.
   */
  geoDatabase: 'installed' | readonly string[];
  /** Where Prometheus reads metrics, if anywhere. */
  metrics: { host: string; port: number } | undefined;
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
}
