// `npm run audit:verify` and others: runs a command of the service on the data of `npm start`.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { checkEnvironment, nonEmpty, SANDBOX_TO_COME } from './check-environment.ts';
import { localEnvironment } from './local-environment.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

process.umask(0o077);
try {
  const given = nonEmpty(process.env);
  const { config, needsSandbox } = checkEnvironment(given);
  const { environment } = localEnvironment(config, given, 'data');
  const child = spawn(process.execPath, ['--import', 'tsx', main, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...environment, ...(needsSandbox ? SANDBOX_TO_COME : {}), ...given },
  });
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
