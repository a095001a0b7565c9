import { identityService, UPSTREAM_NAMES, type UpstreamName, upstreamPrefix } from '../../shared/upstreams.ts';
import { deployment } from '../deployment.ts';

/** The upstream behind a URL of this service; undefined for URLs that the service answers itself. */
export function serviceBehind(url: string): UpstreamName | undefined {
  const path = URL.canParse(url) ? new URL(url).pathname : url;
  if (/^\/api\/identities(?:\/|$)/.test(path)) return identityService(deployment).adminApi;
  return UPSTREAM_NAMES.find((name) => path.startsWith(`${upstreamPrefix(name)}/`));
}
