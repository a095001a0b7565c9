import { identityService, UPSTREAM_NAMES, type UpstreamName, upstreamPrefix } from '../../shared/upstreams.ts';
import { deployment } from '../deployment.ts';

const ownService = identityService(deployment);

/** A path of this deployment's identity admin API; `path` is relative to `/admin`. */
export const identityAdmin = (path: string): string => `${upstreamPrefix(ownService.adminApi)}/admin${path}`;

/** A path of its public API. */
export const identityPublic = (path: string): string => `${upstreamPrefix(ownService.publicApi)}${path}`;

/** A path of the OAuth server's admin API; `path` is relative to `/admin`. */
export const oauthAdmin = (path: string): string => `${upstreamPrefix('oauth-admin')}/admin${path}`;

/** A path of its public API. */
export const oauthPublic = (path: string): string => `${upstreamPrefix('oauth')}${path}`;

/** The upstream behind a URL of this service; undefined for URLs that the service answers itself. */
export function serviceBehind(url: string): UpstreamName | undefined {
  const path = URL.canParse(url) ? new URL(url).pathname : url;
  if (/^\/api\/identities(?:\/|$)/.test(path)) return ownService.adminApi;
  return UPSTREAM_NAMES.find((name) => path.startsWith(`${upstreamPrefix(name)}/`));
}

/** An RFC 6902 operation that the upstream services accept; all of them reject `test`. */
export type PatchOperation = { op: 'add' | 'replace'; path: string; value: unknown } | { op: 'remove'; path: string };
