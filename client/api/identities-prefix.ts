import type { UpstreamName } from '../../shared/upstreams.ts';
import { deployment } from '../deployment.ts';

const ofWorkforce = deployment === 'workforce';

/** The path of the deployment's own identity service, admin API: `path` begins below `/admin`. */
export const identityAdmin = (path: string): string => {
  const name: UpstreamName = ofWorkforce ? 'iam-identity-admin' : 'identity-admin';
  return `/api/${name}/admin${path}`;
};

/** The same for its public API. */
export const identityPublic = (path: string): string => {
  const name: UpstreamName = ofWorkforce ? 'iam-identity' : 'identity';
  return `/api/${name}${path}`;
};
