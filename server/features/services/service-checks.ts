import { membersOf } from '../../../shared/json.ts';
import { type ServiceName, type ServiceProblem, type ServiceState, SLOW_MS } from '../../../shared/services.ts';
import type { Upstream } from '../../config/config.ts';
import type { GeoFileState } from '../../geo/geo-file.ts';
import { type AdminClient, type AdminClientOptions, adminClient } from '../../upstream/admin-client.ts';
import type { Authorization } from '../../upstream/credentials.ts';
import { type FailureKind, failureOf, UpstreamFailure } from '../../upstream/failure.ts';

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

/** The result of a check, without the service's name and the time. */
export type Finding = Pick<ServiceState, 'status' | 'version' | 'latency_ms' | 'problem'>;

/** Checks a service. Never rejects; bounded by the time limits of its clients. */
export type ServiceCheck = () => Promise<Finding>;

const NOT_CONFIGURED: Finding = { status: 'not_configured', version: null, latency_ms: null, problem: null };

/** Milliseconds on a monotonic clock. */
type Monotonic = () => number;

/** A public API: whether it reports itself ready. */
export const publicApiCheck =
  (client: AdminClient, monotonic: Monotonic): ServiceCheck =>
  () =>
    timed(monotonic, () => ready(client));

/**
 * An admin API: whether it reports itself ready and returns a row with the stored key.
 * @param keyless a client for the same API without a key: if the key is unusable, it still shows whether the API is
 * reachable
 * @param rows the path of the list to read one row from
 */
export function adminApiCheck(
  client: AdminClient,
  keyless: AdminClient,
  rows: string,
  monotonic: Monotonic,
): ServiceCheck {
  return async () => {
    const version = client.get('/version').then(versionIn, () => null);
    const [readiness, row] = await Promise.all([
      timed(monotonic, () => ready(client)),
      timed(monotonic, () => client.list(rows, { page_size: 1 })),
    ]);
    if (readiness.problem !== 'key_unreadable') return { ...slower(readiness, row), version: await version };
    const withoutKey = await timed(monotonic, () => ready(keyless));
    return withoutKey.status === 'down' ? withoutKey : { ...withoutKey, status: 'degraded', problem: 'key_unreadable' };
  };
}

/** @param ping rejects within a few seconds if the database is unavailable */
export const databaseCheck =
  (ping: () => Promise<void>, monotonic: Monotonic): ServiceCheck =>
  () =>
    timed(monotonic, () =>
      ping().catch((cause) => {
        throw new UpstreamFailure('unreachable', { cause });
      }),
    );

/** The geolocation files; some of them are enough to work with. */
export const geoCheck =
  (states: () => Promise<GeoFileState[]>): ServiceCheck =>
  async () => {
    const files = await states();
    if (files.length === 0) return NOT_CONFIGURED;
    const problem = files.find((file) => file.problem !== null)?.problem ?? null;
    const status = problem === null ? 'up' : files.some(({ builtAt }) => builtAt !== null) ? 'degraded' : 'down';
    return { status, version: null, latency_ms: null, problem };
  };

async function timed(monotonic: Monotonic, work: () => Promise<unknown>): Promise<Finding> {
  const began = monotonic();
  const elapsed = (): number => Math.round(monotonic() - began);
  try {
    await work();
    const latency_ms = elapsed();
    return { status: 'up', version: null, latency_ms, problem: latency_ms > SLOW_MS ? 'slow' : null };
  } catch (error) {
    const { kind } = failureOf(error);
    if (kind === 'not_configured') return NOT_CONFIGURED;
    const problem = PROBLEMS[kind];
    if (kind === 'unreachable' || kind === 'timeout')
      return { status: 'down', version: null, latency_ms: null, problem };
    return { status: 'degraded', version: null, latency_ms: elapsed(), problem };
  }
}

const PROBLEMS: Record<Exclude<FailureKind, 'not_configured'>, ServiceProblem> = {
  key_unreadable: 'key_unreadable',
  unreachable: 'unreachable',
  timeout: 'slow',
  broken: 'failing',
  refuses_key: 'refuses_key',
  too_many_requests: 'too_many_requests',
  failing: 'failing',
  refused: 'nonsense',
  nonsense: 'nonsense',
  no_room: 'slow',
};

/** Combines both: a service that is ready but returns no row counts as reachable. */
function slower(readiness: Finding, row: Finding): Finding {
  if (readiness.status !== 'up') return readiness;
  if (row.status === 'down') return { ...row, status: 'degraded' };
  if (row.status !== 'up') return row;
  return (readiness.latency_ms ?? 0) > (row.latency_ms ?? 0) ? readiness : row;
}

async function ready(client: AdminClient): Promise<void> {
  const { body } = await client.get('/health/ready');
  if (membersOf(body)['status'] !== 'ok') throw new UpstreamFailure('nonsense');
}

/** Anything but a version number is withheld. */
function versionIn({ body }: { body: unknown }): string | null {
  const { version } = membersOf(body);
  return typeof version === 'string' && /^[\w+][\w.+-]{0,63}$/.test(version) ? version : null;
}
