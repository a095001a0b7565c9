// `npm start`: provides what a laptop lacks (the built app, keys, and a sandbox for signing in), then runs the same
// service as in production, where none of these is ever generated.
import { EXTRA_ROLES } from '../../shared/capabilities.ts';
import { ConfigurationError, parseConfig } from '../config/parse-config.ts';
import { DatabaseNotReady } from '../db/errors.ts';
import type { SandboxOptions } from '../sandbox/parts.ts';
import type { Sandbox } from '../sandbox/start-sandbox.ts';
import { buildClient } from './build.ts';
import { checkEnvironment, eventVariables, localEnvironment, nonEmpty } from './environment.ts';
import { lockTable } from './lock-table.ts';
import { freePort, Refusal, refusalFor, type StartOptions, startOptions, USAGE } from './options.ts';
import { terminalLog } from './terminal-log.ts';

const EXIT_WITHIN_MS = 9_500;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

// Whoever starts the service cannot act on deprecation warnings from packages.
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

/** @returns a function that closes everything */
async function start(options: StartOptions, env: NodeJS.ProcessEnv): Promise<() => Promise<void>> {
  const extra = options.extraRoles ? { EXTRA_ROLES: EXTRA_ROLES.join(',') } : {};
  const given = nonEmpty({ ...env, DEPLOYMENT: options.deployment ?? env['DEPLOYMENT'], ...extra });
  const { config, needsSandbox } = checkEnvironment(given);
  const { deployment } = config;
  const port = await freePort(config.host, config.port);
  if (options.build) await buildClient(() => say('Building the app …'));

  process.umask(0o077);
  const { dataDirectory, dashboardUrl, environment } = localEnvironment(config, given, options.data, port);
  const databaseUrl = given['DATABASE_URL'] ?? String(environment['DATABASE_URL']);
  // Like those of real services, its admin ports require the key if there is one.
  const apiKeys = { identityAdmin: config.auth.store.key, oauthAdmin: config.auth.store.key };
  const sandbox = needsSandbox
    ? await startOwnSandbox(
        { ...options, deployment, dataDirectory, dashboardUrl, apiKeys, production: false, roles: config.auth.roles },
        databaseUrl,
        options.reset,
      )
    : undefined;
  try {
    const { startService } = await import('../process/service.ts');
    // Overrides ENVIRONMENT_LABEL, since these operators and people belong to the sandbox.
    const label = sandbox && { ENVIRONMENT_LABEL: 'sandbox' };
    const events = sandbox && eventVariables(given);
    const variables = { ...environment, ...sandbox?.environment, ...events, ...given, ...label, PORT: String(port) };
    const service = await startService(variables, {
      signal: ending.signal,
      logTo: process.stdout.isTTY ? terminalLog(say) : undefined,
      async prepare(vault) {
        const { settings } = await vault.page({ after: '', size: 1, category: undefined, contains: undefined });
        // A new sandbox does not change settings that an operator has stored.
        if (settings.length > 0) return;
        for (const example of sandbox?.exampleSettings ?? []) await vault.put(example, 'command-line', 'create');
      },
    });
    const { host = '', key } = parseConfig(variables).events ?? {};
    const eventsHost = host.includes(':') ? `[${host}]` : host;
    if (service.eventsPort) sandbox?.sendEventsTo({ url: `http://${eventsHost}:${service.eventsPort}`, key });
    say(`\nDashboard Admin (${deployment}) is listening on ${dashboardUrl}`);
    for (const { email, password, role } of sandbox?.operators ?? [])
      say(`  sign in as ${role}: ${email}, password ${password}`);
    say('Press Ctrl-C to stop.\n');
    return async () => {
      await service.close();
      await sandbox?.close();
    };
  } catch (error) {
    await sandbox?.close();
    throw error;
  }
}

/** Fewer people are stored within two seconds. */
const MANY = 10_000;

/** Imported dynamically, so that a start without it never loads its code. @param reset starts with a new one */
async function startOwnSandbox(options: SandboxOptions, databaseUrl: string, reset: boolean): Promise<Sandbox> {
  const { resetSandbox, startSandbox } = await import('../sandbox/start-sandbox.ts');
  if (reset) {
    resetSandbox(options.dataDirectory, options.deployment);
    say('Starting a new sandbox; the dashboard’s settings and audit trail are kept.');
  }
  const locks = lockTable(databaseUrl);
  try {
    const onProgress = (stored: number, all: number) =>
      all >= MANY &&
      say(`Creating people: ${[stored, all].map((number) => number.toLocaleString('en')).join(' of ')} …`);
    const sandbox = await startSandbox({ ...options, locks, onProgress });
    return { ...sandbox, close: () => sandbox.close().finally(locks.close) };
  } catch (error) {
    await locks.close();
    const { code, message } = error as NodeJS.ErrnoException;
    if (!code?.startsWith('SQLITE_')) throw error;
    const folder = options.dataDirectory;
    throw new Refusal(
      `The sandbox’s data in ${folder} cannot be used: ${message}. "npm start -- --reset" starts with a new sandbox.`,
    );
  }
}

async function stop(signal: (typeof SIGNALS)[number]): Promise<void> {
  // Closing a terminal may send the signal twice, but a second Ctrl-C is intentional.
  if (stopping && signal !== 'SIGHUP') process.exit(1);
  if (stopping) return;
  stopping = true;
  setTimeout(() => process.exit(1), EXIT_WITHIN_MS).unref();
  ending.abort();
  const close = await running.catch(() => undefined);
  await close?.();
  // Node aborts at a regular exit if its terminal is gone.
  if (signal === 'SIGHUP') process.off(signal, stop).kill(process.pid, signal);
  process.exit();
}

function fail(error: unknown): void {
  if (ending.signal.aborted) return;
  const isExpected = [Refusal, ConfigurationError, DatabaseNotReady].some((kind) => error instanceof kind);
  const expected = isExpected ? (error as Error) : refusalFor(error);
  process.stderr.write(`${expected?.message ?? (error instanceof Error ? error.stack : String(error))}\n`);
  process.exitCode = 1;
}
