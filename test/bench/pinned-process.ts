import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/loopback.ts';

const CORES = availableParallelism();
/** The server under test has this core to itself. Load and upstream share the others. */
export const SERVER_CORE = '0';
export const LOAD_CORES = CORES > 2 ? String(CORES - 1) : String(Math.min(1, CORES - 1));
export const UPSTREAM_CORE = String(Math.min(1, CORES - 1));

export interface PinnedProcess {
  pid: number;
  /** Seconds of processor time of all its threads so far. */
  cpuSeconds(): number;
  residentBytes(): number;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** Starts a command on one core. Its standard output is dropped, its errors are printed. */
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

/** Waits until a server responds at the address. */
export async function waitForServer(url: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    try {
      await (await fetch(url, { redirect: 'manual' })).arrayBuffer();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error(`no response from ${url}`);
}

/** The upstream's response to `/small`. */
const SMALL_JSON = JSON.stringify({
  id: '9f425a8d-7efc-4768-8f23-7647a74fdf13',
  state: 'active',
  traits: { email: 'ada@corp.example', role: 'admin' },
});

export interface Nginx {
  url: string;
  process: PinnedProcess;
}

/** An upstream that costs less than any proxy, with a constant response and the operator's identity. */
export async function startUpstream(
  directory: string,
  core: string,
  operator: { id: string; body: string },
): Promise<Nginx> {
  const port = await freePort();
  const file = join(directory, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; master_process off; worker_processes 1; pid ${directory}/pid; error_log /dev/null crit;
    events { worker_connections 4096; }
    http {
      access_log off; sendfile on; tcp_nodelay on; keepalive_requests 1000000000; keepalive_timeout 600;
      client_max_body_size 0; client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy;
      fastcgi_temp_path ${directory}/f; uwsgi_temp_path ${directory}/u; scgi_temp_path ${directory}/s;
      server { listen 127.0.0.1:${port} backlog=4096;
        location = /small { default_type application/json; return 200 '${SMALL_JSON}'; }
        location = /admin/identities/${operator.id} { default_type application/json; return 200 '${operator.body}'; }
        location = / { return 204; }
        location = /sink { return 204; } }
    }`,
  );
  const process = startPinned(core, ['nginx', '-p', directory, '-c', file]);
  const url = `http://127.0.0.1:${port}`;
  await waitForServer(url);
  return { url, process };
}
