import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSigner, keyBytes } from '../../server/crypto/signer.ts';
import { sessionTokens } from '../../server/session/session-token.ts';
import { ROLES } from '../../shared/capabilities.ts';
import { TEST_KEYS } from './context.ts';
import { DATABASE_FOLDER } from './databases.ts';
import { signInUpToCallback, visit } from './http-sign-in.ts';
import { folderOfTest, newFolder } from './of-suite.ts';
import { type RawResponse, requestHead, sendRaw } from './raw-client.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A running program. */
export interface Running {
  pid: number;
  /** Everything printed so far. */
  output(): string;
  /** Waits until the output matches; rejects if the program ends before. */
  untilPrinted(pattern: RegExp): Promise<RegExpExecArray>;
  /** Waits until the program ends. @returns the exit code; null after a signal that it did not handle */
  ended(): Promise<number | null>;
  /** Sends a signal, and waits until the program ends. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts Node with these arguments in the repository's folder.
 * @param env the complete environment except PATH, HOME and NODE_ENV: nothing is inherited from the tests
 */
export const startNode = (args: readonly string[], env?: Record<string, string>): Running =>
  startProgram(process.execPath, args, env);

/** Starts any program. @param file its path */
export function startProgram(
  file: string,
  args: readonly string[],
  env: Record<string, string> = {},
  cwd = root,
  user: { uid?: number; gid?: number } = {},
): Running {
  const { PATH = '', HOME = '' } = process.env;
  const child: ChildProcess = spawn(file, args, {
    cwd,
    ...user,
    // The built service is in production by default.
    env: { PATH, HOME, NODE_ENV: 'development', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8');
    stream?.on('data', (text: string) => {
      output += text;
      child.emit('printed');
    });
  }
  const closed = once(child, 'close').then(([code]) => code as number | null);

  return {
    pid: child.pid ?? 0,
    output: () => output,
    async untilPrinted(pattern) {
      let hasEnded = false;
      const ended = closed.then(() => {
        hasEnded = true;
      });
      for (;;) {
        const match = pattern.exec(output);
        if (match) return match;
        if (hasEnded) throw new Error(`ended without printing ${pattern}:\n${output}`);
        await Promise.race([once(child, 'printed'), ended]);
      }
    },
    ended: () => closed,
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return closed;
    },
  };
}

/** For a suite: kills each of these programs after its test. */
export function runningOfTest(): (started: Running) => Running {
  const programs: Running[] = [];
  afterEach(() => Promise.all(programs.splice(0).map((program) => program.stop('SIGKILL'))));
  return (started) => {
    programs.push(started);
    return started;
  };
}

const changedAt = (path: string): number => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** The time at which a file in the folder was last changed, added or removed. */
function lastChange(folder: string): number {
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return Math.max(changedAt(folder), ...paths.map((path) => changedAt(join(folder, path))));
}

const isBuilt = (): boolean => changedAt('dist/server/main.js') > Math.max(lastChange('server'), lastChange('shared'));

/** Node's arguments that start the service: as built, which starts three times as fast, or from sources that are newer. */
export const SERVICE_ARGUMENTS: readonly string[] = isBuilt() ? ['dist/server/main.js'] : ['server/main.ts'];

const ANY_PORTS = ['--sandbox-ports', '0,0,0,0'];

/** For a suite: `npm start` on free ports, with a folder that is new for each test. */
export function launcher() {
  const running = runningOfTest();
  const inFolder = folderOfTest();
  const own = {
    data: '',
    launch(args: readonly string[] = [], env: Record<string, string> = {}): Running {
      const program = ['server/launcher/start.ts', '--data', own.data, '--people', '0', ...ANY_PORTS, ...args];
      return running(startNode(program, { PORT: '0', ...env }));
    },
    /** Waits until the dashboard is listening. */
    async started(args?: readonly string[], env?: Record<string, string>) {
      const process = own.launch(args, env);
      const [, baseUrl = ''] = await process.untilPrinted(/is listening on (http:\/\/\S+)[\s\S]*Ctrl-C/);
      // Only browsers resolve the host name of the address.
      const url = `http://127.0.0.1:${new URL(baseUrl).port}`;
      return {
        process,
        baseUrl,
        url,
        /** Signs in as the printed operator of that role. @returns the cookie of the session */
        async signIn(role: string): Promise<string> {
          const printed = new RegExp(`as ${role}: (\\S+), password (\\S+)`);
          const [, email = '', password = ''] = await process.untilPrinted(printed);
          const { callback, jar } = await signInUpToCallback(url, baseUrl, { email, password });
          await visit(callback, jar);
          return `dashboard-session=${jar.get('dashboard-session')}`;
        },
      };
    },
  };
  beforeEach(() => {
    own.data = inFolder();
  });
  return own;
}

export type ServiceProcess = Awaited<ReturnType<typeof startServiceProcess>>;

/** Starts the service or one of its commands, by default on any free port. */
export const startMain = (url: string, env: Record<string, string> = {}, program = SERVICE_ARGUMENTS): Running =>
  startNode(program, {
    ...TEST_KEYS,
    PORT: '0',
    DATABASE_URL: url,
    AUTH_URL: 'http://127.0.0.1:1',
    OAUTH_CLIENT_ID: 'dashboard',
    LOG_LEVEL: 'info',
    ...env,
  });

/**
 * Starts the service as a process on a free loopback port, with an empty database and without a sandbox.
 * @param options.nodeArguments options of Node, such as a limit of its memory
 * @param options.program Node's arguments that start another release
 */
export async function startServiceProcess(
  env: Record<string, string> = {},
  options: { nodeArguments?: readonly string[]; program?: readonly string[] } = {},
) {
  const folder = newFolder(DATABASE_FOLDER);
  const program = [...(options.nodeArguments ?? []), ...(options.program ?? SERVICE_ARGUMENTS)];
  const running = startMain(`sqlite:${join(folder.path, 'dashboard.sqlite')}`, env, program);
  const port = Number((await running.untilPrinted(/"port":(\d+),"msg":"listening"/))[1]);
  const get = (path: string, headers?: readonly string[]): Promise<RawResponse> =>
    sendRaw(port, requestHead(`GET ${path}`, headers));
  return {
    port,
    running,
    get,
    /** Whether the health check responds 200. */
    isHealthy: (): Promise<boolean> =>
      get('/api/health').then(
        ({ status }) => status === 200,
        () => false,
      ),
    /** Kills the service. @returns the exit code; null after a signal */
    async close(): Promise<number | null> {
      const code = await running.stop('SIGKILL');
      folder.close();
      return code;
    },
  };
}

/** A session of an administrator, as a service with the keys of the tests issues it. */
export function issueSession(): { identityId: string; cookie: string } {
  const signer = createSigner(keyBytes({ current: TEST_KEYS.SESSION_SIGNING_KEY }));
  const second = Math.floor(Date.now() / 1000);
  const identityId = randomUUID();
  const token = sessionTokens(signer, { deployment: 'customer', roles: ROLES }, Date.now).issue({
    email: 'ada@example.com',
    role: 'admin',
    deployment: 'customer',
    epoch: 0,
    identityId,
    sessionId: randomUUID(),
    issuedAt: second,
    expiresAt: second + 3_600,
  });
  return { identityId, cookie: `Cookie: dashboard-session=${token}` };
}

/** The number of sockets that a process has open, its listeners included. */
export const openSockets = (pid: number): number =>
  readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:');
    } catch {
      // Closed since the folder was read.
      return false;
    }
  }).length;

/** @returns the memory of a process now (`VmRSS`) or at its peak (`VmHWM`) in MiB */
export const memoryMib = (pid: number, when: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`${when}:\\s*(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024;
