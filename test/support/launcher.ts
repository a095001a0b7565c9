import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CookieJar, signInUpToCallback, visit } from './http-sign-in.ts';
import { type Running, startNode } from './processes.ts';

/** A dashboard of the launcher that is listening. */
export interface Launched {
  process: Running;
  baseUrl: string;
  /** The address behind the name, which only browsers resolve. */
  url: string;
  /** Signs in as the operator of that role that the launcher printed. @returns the session's cookie */
  signIn(role: string): Promise<string>;
}

/** `npm start` in a folder of its own, on any free ports; both new for each test. */
export interface Launcher {
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
