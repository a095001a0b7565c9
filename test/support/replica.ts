import type { WatchPace } from '../../server/features/services/service-watch.ts';
import { startService } from '../../server/process/service.ts';
import { type CallOptions, callAt, type Dashboard } from './dashboard.ts';
import { freePort } from './free-port.ts';

export type Replica = Awaited<ReturnType<typeof startReplica>>;

/**
 * Starts a second service on the database, keys and services of a dashboard, as another process would.
 * @param options.watchPace when services are checked; as in production by default
 */
export async function startReplica(dashboard: Dashboard, options: { watchPace?: WatchPace } = {}) {
  const logged: string[] = [];
  const { url, close } = await startService(
    { ...dashboard.env, PORT: String(await freePort()) },
    { logTo: { write: (line) => void logged.push(line) }, ...options, endTimes: { noticeMs: 0 } },
  );
  return { url, logged, close, call: (path: string, options?: CallOptions) => callAt(url, path, options) };
}
