import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CookieJar, signInUpToCallback, visit } from './http-sign-in.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A started program of this repository and everything it printed so far. */
export interface Running {
  pid: number;
  output(): string;
  /** Waits until its output matches; rejects when it ends before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Waits for its end. @returns the exit code, null after a signal that it did not handle */
  ended(): Promise<number | null>;
  /** Asks it to end, and waits. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts node with these arguments in the repository's folder.
 * @param env the whole environment but PATH, HOME and NODE_ENV: nothing of the tests' own leaks in
 */
export const startNode = (args: readonly string[], env?: Record<string, string>): Running =>
  startProgram(process.execPath, args, env);

/** The same of any program, by the path of its file. */
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
    async printed(pattern) {
      let over = false;
      const ended = closed.then(() => {
        over = true;
      });
      for (;;) {
        const found = pattern.exec(output);
        if (found) return found;
        if (over) throw new Error(`ended without printing ${pattern}:\n${output}`);
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

const changedAt = (path: string): number => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** When the last of the folder's files was changed, added or removed. */
function lastChange(folder: string): number {
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return Math.max(changedAt(folder), ...paths.map((path) => changedAt(join(folder, path))));
}

const isBuilt = (): boolean => changedAt('dist/server/main.js') > Math.max(lastChange('server'), lastChange('shared'));

/**
 * Node's arguments that start the service, relative to the repository: as it was built, which starts in a third of the time, or
 * from its sources where they are newer.
 */
export const SERVICE: readonly string[] = isBuilt() ? ['dist/server/main.js'] : ['server/main.ts'];

/** A dashboard of the launcher that is listening. */
interface Launched {
  process: Running;
  baseUrl: string;
  /** The address behind the name, which only browsers resolve. */
  url: string;
  /** Signs in as the operator of that role that the launcher printed. @returns the session's cookie */
  signIn(role: string): Promise<string>;
}

/** `npm start` in a folder of its own, on any free ports; both new for each test. */
interface Launcher {
  data: string;
  launch(args?: readonly string[], env?: Record<string, string>): Running;
  /** Waits until it is listening. */
  started(args?: readonly string[], env?: Record<string, string>): Promise<Launched>;
}

const ANY_PORTS = ['--sandbox-ports', '0,0,0,0'];

export function launcher(): Launcher {
  let running: Running[] = [];
  const own: Launcher = {
    data: '',
    launch(args = [], env = {}) {
      const program = ['server/launcher/start.ts', '--data', own.data, '--people', '0', ...ANY_PORTS, ...args];
      const process = startNode(program, { PORT: '0', ...env });
      running.push(process);
      return process;
    },
    async started(args, env) {
      const process = own.launch(args, env);
      const [, baseUrl = ''] = await process.printed(/is listening on (http:\/\/\S+)[\s\S]*Ctrl-C/);
      const url = `http://127.0.0.1:${new URL(baseUrl).port}`;
      return {
        process,
        baseUrl,
        url,
        async signIn(role) {
          const printed = new RegExp(`as ${role}: (\\S+), password (\\S+)`);
          const [, email = '', password = ''] = await process.printed(printed);
          const { callback, jar } = await signInUpToCallback(url, baseUrl, { email, password }, new CookieJar());
          await visit(callback, jar);
          return `dashboard-session=${jar.get('dashboard-session')}`;
        },
      };
    },
  };
  beforeEach(() => {
    own.data = mkdtempSync(join(tmpdir(), 'start-'));
    running = [];
  });
  afterEach(async () => {
    await Promise.all(running.map((process) => process.stop('SIGKILL')));
    rmSync(own.data, { recursive: true, force: true });
  });
  return own;
}
