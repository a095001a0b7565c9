import { SESSION_MAX_AGE_SECONDS } from '../../shared/session.ts';
import { apiKeySetting, type Configuration } from '../../shared/upstreams.ts';
import type { Route } from '../app.ts';
import type { Context } from '../context.ts';
import { readRoutes, sendJsonText } from '../http/response.ts';

/** `GET /api/config`: the effective configuration without secrets and addresses. */
export function configRoutes({ config, version, settings }: Context): Route[] {
  /** Serialised once: it changes only with the list of stored settings, which the cache shares. */
  let last: { stored: readonly string[] | undefined; body: string } | undefined;

  /** @param stored the upstreams' settings; if they cannot be read, a key counts as stored */
  const describe = (stored: readonly string[] | undefined): Configuration => ({
    deployment: config.deployment,
    version,
    upstreams: Object.fromEntries(
      config.upstreams.map(({ name, url }) => [
        name,
        { configured: url !== undefined, api_key_stored: stored?.includes(apiKeySetting(name)) ?? true },
      ]),
    ) as Configuration['upstreams'],
    features: {
      sign_in: config.auth.provider.kind,
      operators_from: config.auth.operators.from,
      operator_store: config.auth.store.url !== undefined,
      operator_schemas_restricted: Array.isArray(config.auth.operatorSchemaIds),
      proxy_require_session: config.proxyRequireSession,
    },
    session_max_age_seconds: SESSION_MAX_AGE_SECONDS,
    settings_cache_ttl_seconds: config.settingsCacheTtlSeconds,
  });

  const router = readRoutes({
    '/': async (_req, res) => {
      const stored = await settings.keys('upstream.').catch(() => undefined);
      if (last === undefined || last.stored !== stored) last = { stored, body: JSON.stringify(describe(stored)) };
      sendJsonText(res, last.body);
    },
  });
  return [['/api/config', 'configuration.read', router]];
}
