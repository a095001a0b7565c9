import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { missingDefaults } from '../config/secret-files.ts';
import type { Environment } from './check-environment.ts';
import { keysOf } from './keys.ts';

export interface LocalEnvironment {
  dataDirectory: string;
  /** The dashboard's public origin. */
  dashboardUrl: string;
  environment: Environment;
}

/** Defaults that the launcher adds for a local start. In production, everything must be configured. */
export function localEnvironment(
  config: Config,
  given: Environment,
  data: string,
  port = config.port,
): LocalEnvironment {
  const dataDirectory = resolve(data);
  // Cookies ignore ports: on one host name, two deployments would overwrite each other's session.
  const host = config.deployment === 'workforce' ? 'workforce.localhost' : 'localhost';
  const dashboardUrl = given['BASE_URL'] === undefined ? `http://${host}:${port}` : config.baseUrl;
  const environment = config.production
    ? {}
    : missingDefaults(
        {
          ...keysOf(dataDirectory, config.deployment),
          DATABASE_URL: `sqlite:${dataDirectory}/${config.deployment}.sqlite`,
          BASE_URL: dashboardUrl,
          // The service's own default; naming it saves the notice that it is not set.
          PROXY_REQUIRE_SESSION: 'outside',
        },
        given,
      );
  return { dataDirectory, dashboardUrl, environment };
}
