import { upstreamPrefix } from '../../shared/upstreams.ts';

/** The path of the OAuth server's admin API: `path` begins below `/admin`. */
export const oauthAdmin = (path: string): string => `${upstreamPrefix('oauth-admin')}/admin${path}`;

/** The same for its public API. */
export const oauthPublic = (path: string): string => `${upstreamPrefix('oauth')}${path}`;
