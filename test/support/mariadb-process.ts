import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './becomes.ts';

/** A MariaDB server as a process that may be frozen, killed and started again. */
export interface MariadbProcess {
  /** Starts it, and waits until it takes connections. */
  start(args: readonly string[]): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Stops it until it is sent SIGCONT, and waits until each of its threads stands still: one may answer until then. */
  freeze(): Promise<void>;
  /** Waits until the process has ended. */
  ended(): Promise<void>;
  /** Ends it, and waits. */
  stop(): Promise<void>;
}

/** Only one that hangs takes longer: a node of a cluster waits for another one to give it its data. */
const START_MS = 180_000;

/** @param socket the file through which it is reached */
export function mariadbProcess(executable: string, socket: string): MariadbProcess {
  let child: ChildProcess | undefined;

  async function ended(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    await new Promise((resolve) => child?.once('exit', resolve));
  }
  return {
    async start(args) {
      await rm(socket, { force: true });
      child = spawn(executable, args, { stdio: ['ignore', 'ignore', 'pipe'] });
      await untilListening(child, socket);
    },
    signal: (signal) => void child?.kill(signal),
    async freeze() {
      child?.kill('SIGSTOP');
      await until(() => isStopped(child?.pid));
    },
    ended,
    async stop() {
      child?.kill('SIGCONT');
      child?.kill('SIGTERM');
      const timer = setTimeout(() => child?.kill('SIGKILL'), 5_000);
      await ended();
      clearTimeout(timer);
    },
  };
}

/** By Linux' own account; where there is none it is taken for granted. */
export function isStopped(pid: number | undefined): boolean {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return true;
  return readdirSync(threads).every((thread) => /\) T /.test(readFileSync(join(threads, thread, 'stat'), 'utf8')));
}

/** Fills the folder of a new server. */
export function initialise(executable: string, data: string, args: readonly string[]): void {
  const installers = ['../bin', '../sbin', '../scripts'].map((folder) =>
    join(dirname(executable), folder, 'mariadb-install-db'),
  );
  const installer = installers.find(existsSync);
  const { status, stderr } =
    installer === undefined
      ? spawnSync(executable, ['--no-defaults', ...args, '--initialize-insecure', `--datadir=${data}`])
      : spawnSync(installer, [
          '--no-defaults',
          ...args,
          `--datadir=${data}`,
          '--auth-root-authentication-method=normal',
          '--skip-test-db',
        ]);
  if (status !== 0) throw new Error(`MariaDB could not be set up: ${stderr}`);
}

async function untilListening(child: ChildProcess, socket: string): Promise<void> {
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_000);
  });
  const deadline = Date.now() + START_MS;
  while (!(await isListening(socket))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`MariaDB did not start: ${said}`);
    await sleep(20);
  }
}

/** The socket's file is there a moment before anybody listens to it. */
function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
