import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const CORES = availableParallelism();
/** The server under test has this core for itself; load and upstream share the others. */
export const SERVER_CORE = '0';
export const LOAD_CORES = CORES > 2 ? String(CORES - 1) : String(Math.min(1, CORES - 1));
export const UPSTREAM_CORE = String(Math.min(1, CORES - 1));

export interface PinnedProcess {
  pid: number;
  /** Seconds of processor time of all its threads so far. */
  cpuSeconds(): number;
  residentBytes(): number;
  /** The most resident bytes since the last `forgetPeak`. */
  peakBytes(): number;
  forgetPeak(): void;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** Starts a command on one core; its output is dropped, errors are shown. */
export function startPinned(core: string, command: string[], env: Record<string, string> = {}): PinnedProcess {
  const child = spawn('taskset', ['-c', core, ...command], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const { pid } = child;
  if (pid === undefined) throw new Error(`cannot start ${command[0]}`);
  const status = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  return {
    pid,
    cpuSeconds: () =>
      readdirSync(`/proc/${pid}/task`)
        .map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e9)
        .reduce((sum, seconds) => sum + seconds, 0),
    residentBytes: () => status('VmRSS'),
    peakBytes: () => status('VmHWM'),
    forgetPeak: () => writeFileSync(`/proc/${pid}/clear_refs`, '5'),
    stop: () => stop(child),
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  const deadline = setTimeout(() => child.kill('SIGKILL'), 3000);
  await once(child, 'exit');
  clearTimeout(deadline);
}

/** Waits until an address answers at all. */
export async function answering(url: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    try {
      await (await fetch(url, { redirect: 'manual' })).arrayBuffer();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error(`nothing answers at ${url}`);
}
