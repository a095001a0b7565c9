import type { WatchPace } from '../../server/features/services/service-watch.ts';
import { startService } from '../../server/process/service.ts';
import { type CallOptions, callAt, type Dashboard } from './dashboard.ts';
import { freePort } from './free-port.ts';

/** Another process' worth of the same service: the same database, keys and services, another port. */
export interface Replica {
  url: string;
  logged: string[];
  call(path: string, options?: CallOptions): Promise<Response>;
  close(): Promise<unknown>;
}

/** @param options.watchPace when services are looked at; as in production by default */
export async function replicaOf(dashboard: Dashboard, options: { watchPace?: WatchPace } = {}): Promise<Replica> {
  const logged: string[] = [];
  const service = await startService(
    { ...dashboard.env, PORT: String(await freePort()) },
    { logTo: { write: (line) => void logged.push(line) }, ...options, endTimes: { noticeMs: 0 } },
  );
  return {
    url: service.url,
    logged,
    call: (path, options) => callAt(service.url, path, options),
    close: service.close,
  };
}
