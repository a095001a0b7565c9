import { Router } from 'express';
import { SESSION_MAX_AGE_SECONDS } from '../../shared/session.ts';
import type { Configuration } from '../../shared/upstreams.ts';
import type { Route } from '../app.ts';
import type { Context } from '../context.ts';
import { methodNotAllowed } from '../http/errors.ts';
import { sendJsonText } from '../http/response.ts';

/** `GET /api/config`: the effective configuration without secrets and addresses. */
export function configRoutes({ config, version, hasKey }: Context): Route[] {
  const names = config.upstreams.map(({ name }) => name);
  /** Serialised once: it changes only with the set of stored keys. */
  let last: { stored: string; body: string } | undefined;

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
    .get(async (_req, res) => {
      const keys = await Promise.all(names.map(hasKey));
      const stored = keys.join();
      if (last?.stored !== stored) last = { stored, body: JSON.stringify(describe(keys)) };
      sendJsonText(res, last.body);
    })
    .all(methodNotAllowed('GET, HEAD'));
  return [['/api/config', 'configuration.read', router]];
}
