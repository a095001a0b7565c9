import { identityService, upstreamPrefix } from '../../shared/upstreams.ts';

/** The service writes into its page which deployment it is. */
const ofWorkforce = (): boolean =>
  document.querySelector<HTMLMetaElement>('meta[name="deployment"]')?.content === 'workforce';

const ownService = () => identityService(ofWorkforce() ? 'workforce' : 'customer');

/** The path of the deployment's own identity service, admin API: `path` begins below `/admin`. */
export const identityAdmin = (path: string): string => `${upstreamPrefix(ownService().adminApi)}/admin${path}`;

/** The same for its public API. */
export const identityPublic = (path: string): string => `${upstreamPrefix(ownService().publicApi)}${path}`;
