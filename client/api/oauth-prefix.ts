import { upstreamPrefix } from '../../shared/upstreams.ts';

/** A path of the OAuth server's admin API; `path` is relative to `/admin`. */
export const oauthAdmin = (path: string): string => `${upstreamPrefix('oauth-admin')}/admin${path}`;

/** A path of its public API. */
export const oauthPublic = (path: string): string => `${upstreamPrefix('oauth')}${path}`;
