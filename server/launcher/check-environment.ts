import type { Config } from '../config/config.ts';
import { parseConfig } from '../config/parse-config.ts';
import { missingDefaults } from '../config/secret-files.ts';
import { networkTest } from '../lib/networks.ts';
import { Refusal } from './refusal.ts';

export type Environment = Record<string, string | undefined>;

/** The environment without empty variables, which count as unset. */
export const nonEmpty = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));

/** Placeholders for keys the launcher generates later, so that everything else is validated before anything starts. */
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

export interface CheckedEnvironment {
  config: Config;
  needsSandbox: boolean;
}

/**
 * Validates the environment before the launcher adds to it.
 * @throws ConfigurationError, and Refusal if a sandbox would start where it must not
 */
export function checkEnvironment(environment: Environment): CheckedEnvironment {
  const production = environment['NODE_ENV'] === 'production';
  const needsSandbox = environment['AUTH_URL'] === undefined;
  if (needsSandbox && production)
    throw new Refusal(
      'NODE_ENV=production is set, and the sandbox does not start in production: unset it, or set AUTH_URL to a real OAuth 2.0 server.',
    );
  // In production, keys are not generated either: each replica would have its own.
  const config = parseConfig({
    ...(production ? {} : missingDefaults(KEYS_TO_COME, environment)),
    ...(needsSandbox ? SANDBOX_TO_COME : {}),
    ...environment,
  });
  if (needsSandbox && config.host !== 'localhost' && !isLoopback(config.host))
    throw new Refusal('The sandbox is for this machine only: set HOST to a loopback address, or set AUTH_URL.');
  return { config, needsSandbox };
}
