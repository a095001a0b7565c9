import { Router } from 'express';
import { SESSION_MAX_AGE_SECONDS } from '../../shared/session.ts';
import type { Configuration } from '../../shared/upstreams.ts';
import type { Config } from '../config/config.ts';
import { methodNotAllowed } from '../http/errors.ts';
import { sendJsonText } from '../http/response.ts';
import type { KeyPresence } from '../upstream/credentials.ts';

/**
 * `GET /api/config`: the effective configuration without secrets and addresses.
 * @param hasKey whether a key is stored for an upstream
 */
export function configRouter(options: { config: Config; version: string; hasKey: KeyPresence }): Router {
  const { config, version, hasKey } = options;
  const names = config.upstreams.map(({ name }) => name);

  /** The response changes only with the set of stored keys. */
  let last: { stored: string; body: string } | undefined;
  function configuration(stored: boolean[]): string {
    const which = stored.join();
    if (last?.stored !== which) last = { stored: which, body: JSON.stringify(describe(stored)) };
    return last.body;
  }

  const describe = (stored: boolean[]): Configuration => ({
    deployment: config.deployment,
    version,
    upstreams: Object.fromEntries(
      config.upstreams.map(({ name, url }, index) => [
        name,
        { configured: url !== undefined, api_key_stored: stored[index] === true },
      ]),
    ) as Configuration['upstreams'],
    features: {
      operator_store: config.auth.store.url !== undefined,
      operator_schemas_restricted: Array.isArray(config.auth.operatorSchemaIds),
      proxy_require_session: config.proxyRequireSession,
    },
    session_max_age_seconds: SESSION_MAX_AGE_SECONDS,
    settings_cache_ttl_seconds: config.settingsCacheTtlSeconds,
  });

  const router = Router({ caseSensitive: true });
  router
    .route('/')
    .get(async (_req, res) => sendJsonText(res, configuration(await Promise.all(names.map(hasKey)))))
    .all(methodNotAllowed('GET, HEAD'));
  return router;
}
