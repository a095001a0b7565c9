import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { LOAD_CORES, type PinnedProcess } from './pinned-process.ts';

const run = promisify(execFile);

export interface LoadResult {
  requestsPerSecond: number;
  /** Processor time of the server for one request. */
  cpuMicroseconds: number;
  p99Milliseconds: number;
  /** Responses with an unexpected status, and broken connections. */
  failures: number;
}

export interface LoadOptions {
  headers?: Record<string, string>;
  /** The expected status of every response. */
  expected?: number;
  /** The file of a Lua script for wrk, which sets another method or a body. */
  script?: string;
}

/** Saturates an address from one core, over 64 connections with one request at a time each. */
export async function saturate(
  url: string,
  server: PinnedProcess,
  options: LoadOptions & { seconds: number },
): Promise<LoadResult> {
  const headers = Object.entries(options.headers ?? {}).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const before = server.cpuSeconds();
  const { stdout } = await run('taskset', [
    ...['-c', LOAD_CORES, 'wrk', '-t1', '-c64', `-d${options.seconds}s`, '--latency'],
    ...headers,
    ...(options.script === undefined ? [] : ['-s', options.script]),
    url,
  ]);
  const cpu = server.cpuSeconds() - before;
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1] ?? 0);
  const [, p99 = '0', unit = 'ms'] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout) ?? [];
  const refused = Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0);
  const broken = (/Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(stdout) ?? [])
    .slice(1)
    .reduce((sum, count) => sum + Number(count), 0);
  const unexpected = (options.expected ?? 200) >= 400 ? requests - refused : refused;
  return {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1] ?? 0),
    cpuMicroseconds: (cpu / Math.max(requests, 1)) * 1e6,
    p99Milliseconds: Number(p99) * { us: 0.001, ms: 1, s: 1000 }[unit as 'us' | 'ms' | 's'],
    failures: unexpected + broken,
  };
}
