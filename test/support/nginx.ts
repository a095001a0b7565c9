import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, untilListening } from './loopback.ts';
import { startProgram, startServiceProcess } from './processes.ts';
import { rawResponse, startRawUpstream } from './raw-upstream.ts';
import { findTool } from './tools.ts';

interface Nginx {
  port: number;
  close(): Promise<void>;
}

/**
 * Starts nginx in a folder of its own.
 * @param servers the content of `http`
 * @param port one that it listens on
 */
export async function startNginxServers(servers: string, port: number): Promise<Nginx> {
  const directory = await mkdtemp(join(tmpdir(), 'nginx-'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
  // As root, nginx gives its temporary folders to the user `nobody` by default, who may not exist in a namespace.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const configuration = join(directory, 'nginx.conf');
  await writeFile(
    configuration,
    `daemon off; master_process off; ${user} pid pid; error_log stderr;
    events {}
    http { access_log off; ${temporary.join(' ')} ${servers} }`,
  );
  const running = startProgram(findTool('nginx') ?? '', ['-p', directory, '-c', configuration]);
  const end = (): void => void running.stop('SIGKILL');
  process.once('exit', end);
  let hasEnded = false;
  void running.ended().then(() => {
    hasEnded = true;
  });
  await untilListening(port, () => (hasEnded ? `nginx ended: ${running.output()}` : undefined));
  return {
    port,
    async close() {
      process.off('exit', end);
      await running.stop('SIGTERM');
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Addresses for documentation and private networks, none of which exist outside the namespace (RFC 5737, RFC 3849). */
const ADDRESSES = ['203.0.113.9', '198.51.100.7', '10.1.2.3', '10.9.9.9', '2001:db8::9', 'fd00::3'];
const SET_UP = ['ip link set lo up', ...ADDRESSES.map((address) => `ip address add ${address} dev lo`)].join(' && ');
const UNSHARE = [
  ['unshare', '--net'],
  ['unshare', '--map-root-user', '--net'],
];

/** A network for a service and its callers: a namespace, or loopback where the machine refuses a namespace. */
export async function startNetwork(): Promise<Network> {
  const unshare = UNSHARE.find(
    ([command = '', ...args]) => spawnSync(command, [...args, 'sh', '-c', SET_UP]).status === 0,
  );
  return unshare === undefined ? networkHere(false) : networkInNamespace(unshare);
}

export type Network = Awaited<ReturnType<typeof networkHere>>;

async function networkHere(isolated: boolean) {
  const running: { close(): Promise<unknown> }[] = [];
  const outputs: (() => string)[] = [];
  const upstream = await startRawUpstream((_request, socket) => socket.write(rawResponse('200 OK', [], 'fine')));
  return {
    /** Whether this is a network namespace, with addresses of any kind, and without other processes. */
    isolated,
    /** Starts the service with an upstream that responds `fine`. @returns its port */
    async start(env: Record<string, string>): Promise<number> {
      const urls = { IDENTITY_ADMIN_URL: upstream.url, IAM_IDENTITY_ADMIN_URL: upstream.url };
      const service = await startServiceProcess({ ...urls, ...env });
      running.push(service);
      outputs.push(service.running.output);
      return service.port;
    },
    /** Starts nginx on all addresses. @param location the content of `server` @returns its port */
    async startNginx(location: string): Promise<number> {
      const port = await freePort();
      const server = `server { listen 0.0.0.0:${port}; listen [::]:${port}; ${location} }`;
      running.push(await startNginxServers(server, port));
      return port;
    },
    exchange,
    /** Number of requests that have reached the upstream. */
    upstreamRequests: async (): Promise<number> => upstream.requests.length,
    /** Everything that the services have printed. */
    output: async (): Promise<string> => outputs.map((output) => output()).join(''),
    async close(): Promise<void> {
      await Promise.all(running.map((program) => program.close()));
      await upstream.close();
    },
  };
}

/** What a caller received until the peer closed the connection. */
export interface Received {
  /** Whether nothing listens on the port. */
  refused: boolean;
  received: string;
}

/** Connects from an address to the same address, writes, and reads until the peer closes the connection. */
async function exchange(from: string, port: number, bytes: string): Promise<Received> {
  const socket = connect({ host: from, localAddress: from, port });
  let refused = false;
  let received = '';
  socket.on('error', (error: NodeJS.ErrnoException) => {
    refused = error.code === 'ECONNREFUSED';
    if (error.code === 'EADDRNOTAVAIL') received = error.message;
  });
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  if (bytes !== '') socket.write(bytes);
  await new Promise((resolve) => socket.once('close', resolve));
  return { refused, received };
}

type Call = { number: number; name: keyof Network; args: unknown[] };
type Result = { number: number; value?: unknown; error?: string };

/** Calls a network in a process that runs in the namespace. */
async function networkInNamespace([command = '', ...args]: readonly string[]): Promise<Network> {
  const program = ['sh', '-c', `${SET_UP} && exec "$@"`, 'sh', process.execPath, fileURLToPath(import.meta.url)];
  const child = spawn(command, [...args, ...program], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const waiting = new Map<number, (result: Result) => void>();
  let calls = 0;
  child.on('message', (result: Result) => waiting.get(result.number)?.(result));
  child.on('exit', () => {
    for (const [number, resolve] of waiting) resolve({ number, error: 'the process in the namespace ended' });
  });
  const remote =
    (name: keyof Network) =>
    async (...parameters: unknown[]): Promise<never> => {
      const number = calls++;
      const { value, error } = await new Promise<Result>((resolve) => {
        waiting.set(number, resolve);
        child.send({ number, name, args: parameters } satisfies Call);
      });
      waiting.delete(number);
      if (error !== undefined) throw new Error(error);
      return value as never;
    };
  const ended = once(child, 'exit').then(() => assert.fail('the process in the namespace ended'));
  ended.catch(() => {});
  await Promise.race([once(child, 'message'), ended]);
  return {
    isolated: true,
    start: remote('start'),
    startNginx: remote('startNginx'),
    exchange: remote('exchange'),
    upstreamRequests: remote('upstreamRequests'),
    output: remote('output'),
    async close() {
      const exited = once(child, 'exit');
      await remote('close')();
      child.disconnect();
      await exited;
    },
  };
}

async function respondToCalls(): Promise<void> {
  const network = await networkHere(true);
  process.on('message', async ({ number, name, args }: Call) => {
    const respond = (result: Omit<Result, 'number'>): unknown => process.send?.({ number, ...result } satisfies Result);
    try {
      respond({ value: await (network[name] as (...parameters: unknown[]) => Promise<unknown>)(...args) });
    } catch (error) {
      respond({ error: String(error) });
    }
  });
  // The tests may end in the middle of a call.
  process.once('disconnect', () => void network.close());
  process.send?.({ number: -1 } satisfies Result);
}

if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) void respondToCalls();
