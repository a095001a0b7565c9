// `npm run audit:verify` and others: runs a command of the service with the data of `npm start`.
import { checkEnvironment, localEnvironment, nonEmpty, SANDBOX_TO_COME } from './environment.ts';

process.umask(0o077);
try {
  const given = nonEmpty(process.env);
  const { config, needsSandbox } = checkEnvironment(given);
  const { environment } = localEnvironment(config, given, 'data');
  Object.assign(process.env, nonEmpty({ ...environment, ...(needsSandbox ? SANDBOX_TO_COME : {}), ...given }));
  await import('../main.ts');
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
