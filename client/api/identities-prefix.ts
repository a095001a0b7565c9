import { identityService, upstreamPrefix } from '../../shared/upstreams.ts';
import { deployment } from '../deployment.ts';

const ownService = identityService(deployment);

/** A path of this deployment's identity admin API; `path` is relative to `/admin`. */
export const identityAdmin = (path: string): string => `${upstreamPrefix(ownService.adminApi)}/admin${path}`;

/** A path of its public API. */
export const identityPublic = (path: string): string => `${upstreamPrefix(ownService.publicApi)}${path}`;
