import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Step {
  name: string;
  /** Arguments of node. */
  command: readonly string[];
}

const tsc = 'node_modules/typescript/bin/tsc';

export const BUILD: Step = { name: 'build', command: ['server/launcher/build-production.ts'] };

/** What a full run checks beside the build, which checks the server's own types, and beside the first tests. */
export const CHECKS: readonly Step[] = [
  { name: 'lint', command: ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings'] },
  { name: 'types of client', command: [tsc, '-p', 'client'] },
  { name: 'types of tests', command: [tsc, '-p', 'test'] },
];

/**
 * Runs the steps side by side. What one prints is shown when it has ended, so that reports do not mix.
 * @returns the number of steps that failed
 */
export async function runSteps(steps: readonly Step[]): Promise<number> {
  const outcomes = await Promise.all(steps.map(runStep));
  return outcomes.filter((passed) => !passed).length;
}

function runStep({ name, command }: Step): Promise<boolean> {
  return new Promise((done) => {
    const started = Date.now();
    const output: Buffer[] = [];
    const child = spawn(process.execPath, command, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.once('close', (code) => {
      const passed = code === 0;
      if (!passed) process.stdout.write(Buffer.concat(output));
      process.stdout.write(
        `\n${passed ? 'ok' : 'FAILED'}  ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)\n`,
      );
      done(passed);
    });
  });
}
