// `npm run dev`: the same process behind the same gate, started again when the server's sources or the built app change.
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildClient } from './build.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

await buildClient(() => process.stdout.write('Building the app …\n'));
// From here on Vite writes there, and the next `npm start` must not take its output for a finished build.
rmSync(`${root}dist/client/.stamp`, { force: true });

const children = [
  node('node_modules/vite/bin/vite.js', 'build', '--watch', '--logLevel', 'warn'),
  node(
    'node_modules/tsx/dist/cli.mjs',
    'watch',
    '--clear-screen=false',
    '--include=dist/client/index.html',
    'server/start.ts',
    '--no-build',
    ...process.argv.slice(2),
  ),
];
for (const child of children) {
  child.once('exit', (code) => {
    process.exitCode ??= code ?? 0;
    stop();
  });
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);

function stop(): void {
  for (const child of children) child.kill('SIGTERM');
}

function node(...args: string[]): ChildProcess {
  return spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
}
