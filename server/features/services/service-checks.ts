import { membersOf } from '../../../shared/json.ts';
import { type ServiceName, type ServiceProblem, type ServiceState, SLOW_MS } from '../../../shared/services.ts';
import { IDENTITIES_PATH } from '../../../shared/upstreams.ts';
import type { Upstream } from '../../config/config.ts';
import type { Context } from '../../context.ts';
import { type AdminClient, type AdminClientOptions, adminClient } from '../../upstream/admin-client.ts';
import { type FailureKind, failureOf, UpstreamFailure } from '../../upstream/failure.ts';

/** How long a reader waits for the status. A service that proxied requests could not wait for counts as down, too. */
const CHECK_MAX_MS = 5_000;

/** The result of a check, without the service's name and the time. */
type Finding = Pick<ServiceState, 'status' | 'version' | 'latency_ms' | 'problem' | 'code'>;

/** Checks a service. Never rejects; bounded by the time limits of its clients. */
export type ServiceCheck = () => Promise<Finding>;

const NOT_CONFIGURED: Finding = { status: 'not_configured', version: null, latency_ms: null, problem: null };

/** Every service by name, with its check, in the order of the response. */
export function serviceChecks(context: Context): Map<ServiceName, ServiceCheck> {
  const { config, authorization, operatorsApi, checkDatabase, geo } = context;
  const { monotonic } = context.clock;
  const timeoutMs = Math.min(operatorsApi.timeoutMs, CHECK_MAX_MS);
  const keyless = async (): Promise<undefined> => undefined;

  async function timed(work: () => Promise<unknown>): Promise<Finding> {
    const start = monotonic();
    const elapsed = (): number => Math.round(monotonic() - start);
    try {
      await work();
      const latency_ms = elapsed();
      return { status: 'up', version: null, latency_ms, problem: latency_ms > SLOW_MS ? 'slow' : null };
    } catch (error) {
      const { kind, reason } = failureOf(error);
      if (kind === 'not_configured') return NOT_CONFIGURED;
      const problem = PROBLEMS[kind];
      if (kind === 'unreachable' || kind === 'timeout' || kind === 'certificate')
        return { status: 'down', version: null, latency_ms: null, problem, code: reason };
      return { status: 'degraded', version: null, latency_ms: elapsed(), problem };
    }
  }

  /**
   * Checks whether an API reports that it is ready and, if it is an admin API, returns a row with the stored key. If the
   * key is unusable, a request without it still shows whether the API is reachable.
   * @param rows the path of the list to read one row from; undefined for a public API
   */
  function checkOf(api: Omit<AdminClientOptions, 'timeoutMs'>, rows: string | undefined): ServiceCheck {
    const client = adminClient({ ...api, timeoutMs });
    if (rows === undefined) return () => timed(() => ready(client));
    const keylessClient = adminClient({ ...api, timeoutMs, authorization: keyless });
    return async () => {
      const version = client.get('/version').then(versionIn, () => null);
      const [readiness, row] = await Promise.all([
        timed(() => ready(client)),
        timed(() => client.list(rows, { page_size: 1 })),
      ]);
      if (readiness.problem !== 'key_unreadable') return { ...slower(readiness, row), version: await version };
      const withoutKey = await timed(() => ready(keylessClient));
      return withoutKey.status === 'down'
        ? withoutKey
        : { ...withoutKey, status: 'degraded', problem: 'key_unreadable' };
    };
  }

  const upstreamApi = ({ name, url, admin, probePath }: Upstream): ServiceCheck =>
    checkOf({ url, authorization: admin ? () => authorization(name) : keyless }, probePath);

  const database = (): Promise<void> =>
    checkDatabase().catch((cause) => {
      throw new UpstreamFailure('unreachable', { cause });
    });

  /** The service works even if only some of the geolocation files can be read. */
  async function geoFiles(): Promise<Finding> {
    const files = await geo.states();
    if (files.length === 0) return NOT_CONFIGURED;
    const problem = files.find((file) => file.problem !== null)?.problem ?? null;
    const status = problem === null ? 'up' : files.some(({ builtAt }) => builtAt !== null) ? 'degraded' : 'down';
    return { status, version: null, latency_ms: null, problem };
  }

  return new Map<ServiceName, ServiceCheck>([
    ...config.upstreams.map((upstream) => [upstream.name, upstreamApi(upstream)] as const),
    ['operators', checkOf(operatorsApi, IDENTITIES_PATH)],
    ['database', () => timed(database)],
    ['geo', geoFiles],
  ]);
}

const PROBLEMS: Record<Exclude<FailureKind, 'not_configured'>, ServiceProblem> = {
  key_unreadable: 'key_unreadable',
  unreachable: 'unreachable',
  certificate: 'certificate',
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

/** Returns only what looks like a version number. */
function versionIn({ body }: { body: unknown }): string | null {
  const { version } = membersOf(body);
  return typeof version === 'string' && /^[\w+][\w.+-]{0,63}$/.test(version) ? version : null;
}
