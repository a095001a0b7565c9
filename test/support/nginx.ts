import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';
import { startProgram } from './processes.ts';
import { type RawUpstream, rawResponse, startRawUpstream } from './raw-upstream.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';
import { findTool } from './tools.ts';

interface Nginx {
  port: number;
  close(): Promise<void>;
}

/**
 * Starts nginx on a free port of every address, with files and processes of its own.
 * @param location what stands inside `server`
 */
async function startNginx(location: string): Promise<Nginx> {
  const port = await freePort();
  return startNginxServers(`server { listen 0.0.0.0:${port}; listen [::]:${port}; ${location} }`, port);
}

/** @param servers what stands inside `http` @param port one that it listens on */
export async function startNginxServers(servers: string, port: number): Promise<Nginx> {
  const directory = await mkdtemp(join(tmpdir(), 'nginx-'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
  // As root, nginx gives its folders to this user; a namespace may have no other.
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
  let over = false;
  void running.ended().then(() => {
    over = true;
  });
  while (!(await isListening(port))) {
    if (over) throw new Error(`nginx ended: ${running.output()}`);
    await sleep(20);
  }
  return {
    port,
    async close() {
      process.off('exit', end);
      await running.stop('SIGTERM');
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** What a caller heard until the far end closed the connection. */
export interface Heard {
  /** Nobody listens there. */
  refused: boolean;
  received: string;
}

/** A service with peers at several addresses. */
export interface Network {
  /** In a network namespace: addresses of any kind, and ports that nobody else has. */
  isolated: boolean;
  /** Starts the service with an upstream that answers `fine`. @returns its port */
  start(env: Record<string, string>): Promise<number>;
  /** Starts nginx in front, reachable at every address. @returns its port */
  startNginx(location: string): Promise<number>;
  /** Connects from an address to the same address, writes, and listens until the far end closes. */
  speak(from: string, port: number, bytes: string): Promise<Heard>;
  /** Requests that have reached the upstream. */
  upstreamRequests(): Promise<number>;
  /** What all the services have printed. */
  output(): Promise<string>;
  close(): Promise<void>;
}

/** Documentation and private ranges, none of which exist outside the namespace (RFC 5737, RFC 3849). */
const ADDRESSES = ['203.0.113.9', '198.51.100.7', '10.1.2.3', '10.9.9.9', '2001:db8::9', 'fd00::3'];
const SET_UP = ['ip link set lo up', ...ADDRESSES.map((address) => `ip address add ${address} dev lo`)].join(' && ');
const UNSHARE = [
  ['unshare', '--net'],
  ['unshare', '--map-root-user', '--net'],
];

/** In a network namespace of its own; where the machine refuses one, on its loopback addresses. */
export async function startNetwork(): Promise<Network> {
  const means = UNSHARE.find(
    ([command = '', ...args]) => spawnSync(command, [...args, 'sh', '-c', SET_UP]).status === 0,
  );
  return means === undefined ? hereOnLoopback() : inNamespace(means);
}

async function hereOnLoopback(): Promise<Network> {
  const services: ServiceProcess[] = [];
  const fronts: Nginx[] = [];
  const upstream: RawUpstream = await startRawUpstream((_request, socket) =>
    socket.write(rawResponse('200 OK', [], 'fine')),
  );
  return {
    isolated: false,
    async start(env) {
      const service = await startServiceProcess({
        IDENTITY_ADMIN_URL: upstream.url,
        IAM_IDENTITY_ADMIN_URL: upstream.url,
        ...env,
      });
      services.push(service);
      return service.port;
    },
    async startNginx(location) {
      const nginx = await startNginx(location);
      fronts.push(nginx);
      return nginx.port;
    },
    speak,
    upstreamRequests: async () => upstream.requests.length,
    output: async () => services.map(({ running }) => running.output()).join(''),
    async close() {
      await Promise.all([...fronts, ...services].map((process) => process.close()));
      await upstream.close();
    },
  };
}

async function speak(from: string, port: number, bytes: string): Promise<Heard> {
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

type Question = { number: number; name: keyof Network; given: unknown[] };
type Reply = { number: number; value?: unknown; error?: string };

/** The same in a process that lives in the namespace, and is asked what to do. */
async function inNamespace([command = '', ...args]: readonly string[]): Promise<Network> {
  const program = ['sh', '-c', `${SET_UP} && exec "$@"`, 'sh', process.execPath, fileURLToPath(import.meta.url)];
  const child: ChildProcess = spawn(command, [...args, ...program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const replies = new Map<number, (reply: Reply) => void>();
  let questions = 0;
  child.on('message', (reply: Reply) => replies.get(reply.number)?.(reply));
  child.on('exit', () => {
    for (const [number, tell] of replies) tell({ number, error: 'the process in the namespace ended' });
  });
  const ask =
    (name: keyof Network) =>
    async (...given: unknown[]): Promise<never> => {
      const number = questions++;
      const { value, error } = await new Promise<Reply>((resolve) => {
        replies.set(number, resolve);
        child.send({ number, name, given } satisfies Question);
      });
      replies.delete(number);
      if (error !== undefined) throw new Error(error);
      return value as never;
    };
  const ended = once(child, 'exit').then(() => assert.fail('the process in the namespace ended'));
  ended.catch(() => {});
  await Promise.race([once(child, 'message'), ended]);
  return {
    isolated: true,
    start: ask('start'),
    startNginx: ask('startNginx'),
    speak: ask('speak'),
    upstreamRequests: ask('upstreamRequests'),
    output: ask('output'),
    async close() {
      const exited = once(child, 'exit');
      await ask('close')();
      child.disconnect();
      await exited;
    },
  };
}

async function answerQuestions(): Promise<void> {
  const network = await hereOnLoopback();
  process.on('message', async ({ number, name, given }: Question) => {
    const reply = (rest: Omit<Reply, 'number'>): unknown => process.send?.({ number, ...rest } satisfies Reply);
    try {
      reply({ value: await (network[name] as (...given: unknown[]) => Promise<unknown>)(...given) });
    } catch (error) {
      reply({ error: String(error) });
    }
  });
  // Also when the tests were ended in their midst.
  process.once('disconnect', () => void network.close());
  process.send?.({ number: -1 } satisfies Reply);
}

if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) void answerQuestions();
