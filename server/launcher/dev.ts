// `npm run dev`: runs the same service as `npm start`, and restarts it when the server's sources change or Vite has
// rebuilt the app.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('../../', import.meta.url));
// Vite sets NODE_ENV in this process for its own purposes.
const env = { ...process.env };
const rebuilt = join(root, 'dist', 'rebuilt');

// The next `npm start` must not mistake Vite's output for a finished build.
rmSync(join(root, 'dist', 'client', '.stamp'), { force: true });
mkdirSync(join(root, 'dist'), { recursive: true });

const watcher = await build({ configFile: join(root, 'vite.config.ts'), build: { watch: {} }, logLevel: 'warn' });
if (!('on' in watcher)) throw new Error('Vite is not watching.');
const builtOnce = new Promise<void>((resolve) => {
  watcher.on('event', (event) => {
    if (event.code === 'ERROR') process.stderr.write(`${event.error.message}\n`);
    if (event.code !== 'END') return;
    writeFileSync(rebuilt, '');
    resolve();
  });
});
await builtOnce;

const service = spawn(
  process.execPath,
  [
    '--watch-preserve-output',
    ...['server', 'shared', 'dist/rebuilt'].map((path) => `--watch-path=${join(root, path)}`),
    join(root, 'server/launcher/start.ts'),
    '--no-build',
    ...process.argv.slice(2),
  ],
  { cwd: root, env, stdio: 'inherit' },
);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => service.kill('SIGTERM'));
const [code] = await once(service, 'exit');
await watcher.close();
process.exit(code ?? 0);
