import type { ServiceName } from '../../../shared/services.ts';
import type { Upstream } from '../../config/config.ts';
import type { GeoFileState } from '../../geo/geo-file.ts';
import { type AdminClientOptions, adminClient } from '../../upstream/admin-client.ts';
import type { Authorization } from '../../upstream/credentials.ts';
import { adminApiCheck, databaseCheck, geoCheck, publicApiCheck, type ServiceCheck } from './service-checks.ts';

const IDENTITIES = '/admin/identities';
const CLIENTS = '/admin/clients';
/** The longest a reader waits for the status. A service slower than a proxied request may be is down, too. */
const CHECK_MAX_MS = 5_000;

export interface CheckedServicesOptions {
  upstreams: readonly Upstream[];
  authorization: Authorization;
  /** How the operators' store is reached. */
  operators: AdminClientOptions;
  pingDatabase: () => Promise<void>;
  geoFiles: () => Promise<GeoFileState[]>;
  /** Milliseconds on a monotonic clock. */
  monotonic: () => number;
}

/** Every service by name, with its check. */
export function checkedServices(options: CheckedServicesOptions): Map<ServiceName, ServiceCheck> {
  const { upstreams, authorization, pingDatabase, geoFiles, monotonic } = options;
  const keyless = async (): Promise<undefined> => undefined;
  const timeoutMs = Math.min(options.operators.timeoutMs, CHECK_MAX_MS);
  const operators = { ...options.operators, timeoutMs };

  function checkOf({ name, url, admin, holdsIdentities }: Upstream): ServiceCheck {
    const withoutKey = adminClient({ url, timeoutMs, authorization: keyless });
    if (!admin) return publicApiCheck(withoutKey, monotonic);
    const withKey = adminClient({ url, timeoutMs, authorization: () => authorization(name) });
    return adminApiCheck(withKey, withoutKey, holdsIdentities ? IDENTITIES : CLIENTS, monotonic);
  }
  return new Map<ServiceName, ServiceCheck>([
    ...upstreams.map((upstream) => [upstream.name, checkOf(upstream)] as const),
    [
      'operators',
      adminApiCheck(
        adminClient(operators),
        adminClient({ ...operators, authorization: keyless }),
        IDENTITIES,
        monotonic,
      ),
    ],
    ['database', databaseCheck(pingDatabase, monotonic)],
    ['geo', geoCheck(geoFiles)],
  ]);
}
