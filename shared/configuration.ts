import type { Deployment } from './deployment.ts';
import type { UpstreamName } from './upstreams.ts';

/** `GET /api/config`: the effective configuration without secrets and addresses. */
export interface Configuration {
  deployment: Deployment;
  version: string;
  upstreams: Record<UpstreamName, { configured: boolean; api_key_stored: boolean }>;
  features: {
    operator_store: boolean;
    operator_schemas_restricted: boolean;
    proxy_require_session: 'outside' | 'always' | 'never';
  };
  session_max_age_seconds: number;
  settings_cache_ttl_seconds: number;
}
