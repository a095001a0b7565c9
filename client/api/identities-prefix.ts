import { identityService, upstreamPrefix } from '../../shared/upstreams.ts';
import { deployment } from '../deployment.ts';

const ownService = identityService(deployment);

/** The path of the deployment's own identity service, admin API: `path` begins below `/admin`. */
export const identityAdmin = (path: string): string => `${upstreamPrefix(ownService.adminApi)}/admin${path}`;

/** The same for its public API. */
export const identityPublic = (path: string): string => `${upstreamPrefix(ownService.publicApi)}${path}`;
