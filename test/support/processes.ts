import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

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
 * @param env the whole environment but PATH and HOME: nothing of the tests' own leaks in
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
    env: { PATH, HOME, ...env },
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
