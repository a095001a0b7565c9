import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Deployment } from '../../shared/upstreams.ts';
import type { Config } from '../config/config.ts';
import { parseConfig } from '../config/parse-config.ts';
import { missingDefaults } from '../config/variables.ts';
import { networkTest } from '../networks.ts';
import { Refusal } from './options.ts';

const NAMES = ['SESSION_SIGNING_KEY', 'ENCRYPTION_KEY'] as const;
type Keys = Record<(typeof NAMES)[number], string>;

/**
 * The two keys of a deployment on this machine, generated at the first start. If the file is deleted, stored encrypted
 * settings are lost.
 */
export function keysOf(dataDirectory: string, deployment: Deployment): Keys {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  const path = join(dataDirectory, `keys-${deployment}.env`);
  const lines = NAMES.map((name) => `${name}=${randomBytes(32).toString('base64url')}\n`);
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, lines.join(''), { mode: 0o600 });
    // All of the file or none of it, also where two processes start or one is killed.
    if (!existsSync(path)) linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const { SESSION_SIGNING_KEY, ENCRYPTION_KEY } = parseEnv(readFileSync(path, 'utf8'));
  if (!SESSION_SIGNING_KEY || !ENCRYPTION_KEY)
    throw new Refusal(
      `${path} does not contain ${NAMES.join(' and ')}. Restore it, or delete it to start with new keys.`,
    );
  return { SESSION_SIGNING_KEY, ENCRYPTION_KEY };
}

/** Defaults that the launcher adds for a local start. In production, everything must be configured. */
export function localEnvironment(
  config: Config,
  given: Environment,
  data: string,
  port = config.port,
): { dataDirectory: string; dashboardUrl: string; environment: Environment } {
  const dataDirectory = resolve(data);
  // Cookies ignore ports: on one host name, two deployments would overwrite each other's session.
  const host = config.deployment === 'workforce' ? 'workforce.localhost' : 'localhost';
  const dashboardUrl = given['BASE_URL'] === undefined ? `http://${host}:${port}` : config.baseUrl;
  if (config.production) return { dataDirectory, dashboardUrl, environment: {} };
  const defaults = {
    ...keysOf(dataDirectory, config.deployment),
    DATABASE_URL: `sqlite:${dataDirectory}/${config.deployment}.sqlite`,
    BASE_URL: dashboardUrl,
    // The service's own default; setting it explicitly suppresses the notice that it is not set.
    PROXY_REQUIRE_SESSION: config.proxyRequireSession === 'always' ? 'true' : 'outside',
  };
  return { dataDirectory, dashboardUrl, environment: missingDefaults(defaults, given) };
}

/** Where a sandbox sends its events unless it is configured: to any port, with a key of this start alone. */
export const eventVariables = (given: Environment): Environment =>
  given['EVENTS_PORT'] === undefined
    ? missingDefaults({ EVENTS_PORT: '0', EVENTS_KEY: randomBytes(32).toString('base64url') }, given)
    : {};

export type Environment = Record<string, string | undefined>;

/** The environment without empty variables, which count as unset. */
export const nonEmpty = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));

/** Placeholders for keys that are generated later, so that everything else is validated before anything starts. */
const KEYS_TO_COME: Environment = {
  SESSION_SIGNING_KEY: 'the key that signs sessions is created later',
  ENCRYPTION_KEY: 'the key that encrypts settings is created later',
};
export const SANDBOX_TO_COME: Environment = {
  AUTH_URL: 'http://127.0.0.1',
  OAUTH_CLIENT_ID: 'sandbox',
  IDENTITY_ADMIN_URL: 'http://127.0.0.1',
  IAM_IDENTITY_ADMIN_URL: 'http://127.0.0.1',
};

const isLoopback = networkTest(['127.0.0.0/8', '::1/128']);

/**
 * Validates the environment before the launcher adds to it.
 * @throws ConfigurationError, and Refusal if a sandbox would start where it must not
 */
export function checkEnvironment(environment: Environment): { config: Config; needsSandbox: boolean } {
  const production = environment['NODE_ENV'] === 'production';
  const needsSandbox = environment['AUTH_URL'] === undefined && environment['AUTH_ISSUER'] === undefined;
  if (needsSandbox && production)
    throw new Refusal(
      'NODE_ENV=production is set, and the sandbox does not start in production: unset it, or set AUTH_URL to a real OAuth 2.0 server, or AUTH_ISSUER to an OpenID provider.',
    );
  const config = parseConfig({
    // In production, keys are not generated either: each replica would have its own.
    ...(production ? {} : missingDefaults(KEYS_TO_COME, environment)),
    ...(needsSandbox ? SANDBOX_TO_COME : {}),
    ...environment,
  });
  if (needsSandbox && config.host !== 'localhost' && !isLoopback(config.host))
    throw new Refusal(
      'The sandbox is for this machine only: set HOST to a loopback address, or set AUTH_URL or AUTH_ISSUER.',
    );
  return { config, needsSandbox };
}
