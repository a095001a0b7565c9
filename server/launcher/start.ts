// `npm start`: provides what a laptop lacks (the built app, keys, a sandbox to sign in through), then runs the same
// service as in production, which never generates any of these.
import { ConfigurationError } from '../config/parse-config.ts';
import { DatabaseNotReady } from '../db/not-ready.ts';
import type { Sandbox } from '../sandbox/start-sandbox.ts';
import { buildClient } from './build.ts';
import { checkEnvironment, nonEmpty } from './check-environment.ts';
import { launchSandbox } from './launch-sandbox.ts';
import { localEnvironment } from './local-environment.ts';
import { type StartOptions, startOptions, USAGE } from './options.ts';
import { freePort, portTaken } from './port.ts';
import { notWritable, Refusal } from './refusal.ts';
import { storeExampleSettings } from './store-example-settings.ts';
import { terminalLog } from './terminal-log.ts';

const EXIT_WITHIN_MS = 9_500;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

// Deprecations of packages are nothing that whoever starts it can act on.
process.noDeprecation = true;
const ending = new AbortController();
const running = start(readOptions(), process.env);
let stopping = false;
for (const signal of SIGNALS) process.on(signal, stop);
running.catch(fail);

function readOptions(): StartOptions {
  try {
    const options = startOptions(process.argv.slice(2));
    if (!options.help) return options;
    say(USAGE);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}

/** @returns closes everything */
async function start(options: StartOptions, env: NodeJS.ProcessEnv): Promise<() => Promise<void>> {
  const given = nonEmpty(env);
  if (options.deployment !== undefined) given['DEPLOYMENT'] = options.deployment;
  const { config, needsSandbox } = checkEnvironment(given);
  const port = await freePort(config.host, config.port);
  if (options.build) await buildClient(() => say('Building the app …'));

  process.umask(0o077);
  const { deployment } = config;
  const { dataDirectory, dashboardUrl, environment } = localEnvironment(config, given, options.data, port);
  const databaseUrl = given['DATABASE_URL'] ?? String(environment['DATABASE_URL']);
  const adminKey = config.auth.store.key;
  const sandbox = needsSandbox
    ? await launchSandbox({ ...options, deployment, dataDirectory, dashboardUrl, databaseUrl, adminKey }, say)
    : undefined;
  try {
    const { startService } = await import('../process/service.ts');
    // Overrides ENVIRONMENT_LABEL: with these operators and people it is the sandbox.
    const label = sandbox && { ENVIRONMENT_LABEL: 'sandbox' };
    const variables = { ...environment, ...sandbox?.environment, ...given, ...label, PORT: String(port) };
    const service = await startService(variables, {
      signal: ending.signal,
      logTo: process.stdout.isTTY ? terminalLog(say, options) : undefined,
      prepare: (settings) => storeExampleSettings(settings, sandbox?.exampleSettings ?? []),
    });
    announce(deployment, dashboardUrl, sandbox);
    return async () => {
      await service.close();
      await sandbox?.close();
    };
  } catch (error) {
    await sandbox?.close();
    throw error;
  }
}

function announce(deployment: string, url: string, sandbox: Sandbox | undefined): void {
  say(`\nDashboard Admin (${deployment}) is listening on ${url}`);
  for (const { email, password, role } of sandbox?.operators ?? [])
    say(`  sign in as ${role}: ${email}, password ${password}`);
  say('Press Ctrl-C to stop.\n');
}

async function stop(signal: (typeof SIGNALS)[number]): Promise<void> {
  // A terminal that is closed may say so twice; a second Ctrl-C is meant.
  if (stopping && signal !== 'SIGHUP') process.exit(1);
  if (stopping) return;
  stopping = true;
  setTimeout(() => process.exit(1), EXIT_WITHIN_MS).unref();
  ending.abort();
  const close = await running.catch(() => undefined);
  await close?.();
  // Without its terminal, Node aborts at a regular exit.
  if (signal === 'SIGHUP') process.off(signal, stop).kill(process.pid, signal);
  process.exit();
}

function fail(error: unknown): void {
  if (ending.signal.aborted) return;
  const isExpected = [Refusal, ConfigurationError, DatabaseNotReady].some((kind) => error instanceof kind);
  const expected = isExpected ? (error as Error) : (portTaken(error) ?? notWritable(error));
  process.stderr.write(`${expected?.message ?? (error instanceof Error ? error.stack : String(error))}\n`);
  process.exitCode = 1;
}
