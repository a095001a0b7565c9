import { parsePruneArguments, parseRecordArgument } from './audit/commands.ts';
import { diagnose, diagnosisAsJson, parseDoctorArguments, printedDiagnosis } from './checks/doctor.ts';
import { parseSetupArguments, setUp } from './checks/setup.ts';
import type { Config } from './config/config.ts';
import { trustExtraAuthorities } from './config/extra-authorities.ts';
import { packageRoot } from './config/package-root.ts';
import { parseConfig } from './config/parse-config.ts';
import { environment } from './config/variables.ts';
import { withoutDriverText } from './db/errors.ts';
import { openDatabase, prepareDatabase } from './db/open-database.ts';
import { createDeps, type Deps } from './deps.ts';
import { setFromCommandLine } from './features/settings.ts';
import { createLog, debugForAWhile, type Log } from './log.ts';
import { type Service, startService } from './process/service.ts';
import { installCrashHandler } from './process/shutdown.ts';
import { isDone, printedRekeyReport } from './settings/rekey.ts';

const USAGE = `Usage: node main.js                    run the service
       node main.js migrate            bring the database to this release
       node main.js settings:set KEY   store standard input as the value of a setting
       node main.js settings:rekey     encrypt every setting with the current key
       node main.js audit:verify [--expect SEQUENCE:TAG]
                                       verify the audit trail, and that it still contains a record
       node main.js audit:export [--after SEQUENCE:TAG]
                                       write the audit trail to standard output, as NDJSON
       node main.js audit:prune --before YYYY-MM-DD --exported SEQUENCE:TAG
                                       remove the audit records before a date that were exported
       node main.js setup [--file FILE] [--admin EMAIL] [--key NAME=FILE]... [--yes]
                                       create what an installation lacks; without --yes, show the plan
       node main.js doctor [--environment] [--quick] [--from URL] [--json]
                                       verify the audit trail, and check everything that the environment names
       node main.js posture            the same as doctor, until the next release
       node main.js --help             print this
       node main.js --version          print the version`;

// Before the service has started, and during a command, the handler does nothing; without it, the signal would end the
// process.
let toggleDebug: (() => void) | undefined;
process.on('SIGUSR2', () => toggleDebug?.());

/** The service in production, or one of its commands with the same configuration. @returns the exit code */
async function main([command, ...args]: string[]): Promise<number | undefined> {
  // The log of the service handles this itself.
  if (command !== undefined) process.stdout.on('error', outputFailed);
  if ([command, ...args].some((word) => word === '--help' || word === '-h')) return print(USAGE);
  return command === undefined ? run() : (COMMANDS.get(command) ?? usage)(args);
}

const alone = (act: () => number | Promise<number>) => (args: readonly string[]) =>
  args.length === 0 ? act() : usage();

const COMMANDS = new Map<string, (args: readonly string[]) => number | Promise<number>>([
  ['migrate', alone(runMigrations)],
  ['settings:set', ([key, ...rest]) => (key === undefined || rest.length > 0 ? usage() : setSetting(key))],
  ['settings:rekey', alone(() => withDeps(rekey))],
  ['audit:verify', verifyAudit],
  ['audit:export', exportAudit],
  ['audit:prune', pruneAudit],
  ['setup', setup],
  ['doctor', doctor],
  ['posture', doctor],
  ['--version', alone(() => print(packageRoot().version))],
]);

/** A command completes even if its reader stops reading, as with `| head`, but fails if a file cannot take its output. */
function outputFailed({ code, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') return;
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

async function run(): Promise<undefined> {
  let service: Service | undefined;
  const signal = abortedBySignals(() => {
    service?.close().then(
      (inTime) => process.exit(inTime ? 0 : 1),
      () => process.exit(1),
    );
  });
  try {
    service = await startService(environment(), { signal });
  } catch (error) {
    // It only waited for the database, so nothing is left undone.
    if (signal.aborted && error instanceof Error && error.name === 'AbortError') process.exit(0);
    throw error;
  }
  toggleDebug = debugForAWhile(service.log);
  installCrashHandler(service.log);
}

/** @param then called at the first signal */
function abortedBySignals(then?: () => void): AbortSignal {
  const stopping = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(name, () => {
      if (stopping.signal.aborted) return;
      stopping.abort();
      then?.();
    });
  return stopping.signal;
}

/** Runs the missing migrations, regardless of MIGRATIONS. */
async function runMigrations(): Promise<number> {
  const { database: address } = commandConfig();
  const log = commandLog();
  const database = openDatabase(address, log);
  try {
    const names = await prepareDatabase(database, { address, migrations: 'run', log, signal: abortedBySignals() });
    return print(names.length > 0 ? `Applied: ${names.join(', ')}.` : 'No migration is missing.');
  } finally {
    await database.close();
  }
}

const setSetting = (key: string): Promise<number> =>
  withDeps(async ({ vault }) => {
    const { created } = await setFromCommandLine(vault, key, process.stdin);
    return print(`${created ? 'Created' : 'Updated'} the setting. A running service uses it within five seconds.`);
  });

const PROGRESS_MS = 1_000;

/** Prints progress to standard error at most once a second. */
function progress(line: (done: number) => string): (done: number) => void {
  let printedAt = performance.now();
  return (done) => {
    if (performance.now() - printedAt < PROGRESS_MS) return;
    printedAt = performance.now();
    process.stderr.write(line(done));
  };
}

async function rekey({ rekeySettings }: Deps): Promise<number> {
  const report = await rekeySettings(progress((rekeyed) => `Encrypted so far: ${rekeyed}\n`));
  process.stdout.write(printedRekeyReport(report));
  return isDone(report) ? 0 : 1;
}

async function verifyAudit(args: readonly string[]): Promise<number> {
  const parsed = parseRecordArgument(args, 'expect');
  if (parsed === undefined) return usage();
  return withDeps(async ({ trail }) => {
    const { report, ok } = await trail.verify(parsed.record);
    process.stdout.write(report);
    return ok ? 0 : 1;
  });
}

async function exportAudit(args: readonly string[]): Promise<number> {
  const parsed = parseRecordArgument(args, 'after');
  if (parsed === undefined) return usage();
  // Standard output must contain only records.
  return withDeps(async ({ trail }) => {
    const { report, ok } = await trail.export(parsed.record, process.stdout);
    process.stderr.write(report);
    return ok ? 0 : 1;
  }, process.stderr);
}

async function pruneAudit(args: readonly string[]): Promise<number> {
  const request = parsePruneArguments(args);
  if (request === undefined) return usage();
  const onProgress = progress((deleted) => `Deleted so far: ${deleted}\n`);
  return withDeps(async ({ trail }) => {
    process.stdout.write(await trail.prune(request, onProgress));
    return 0;
  });
}

async function setup(args: readonly string[]): Promise<number> {
  const request = parseSetupArguments(args);
  if (request === undefined) return usage();
  const log = createLog({ level: 'error', production: false }, process.stderr);
  return setUp(environment(), request, { log, print }).catch((error) => {
    throw withoutDriverText(error);
  });
}

async function doctor(args: readonly string[]): Promise<number> {
  const parsed = parseDoctorArguments(args);
  if (parsed === undefined) return usage();
  const { json, ...options } = parsed;
  const diagnosis = await diagnose(environment(), options);
  process.stdout.write(json ? diagnosisAsJson(diagnosis) : printedDiagnosis(diagnosis));
  return diagnosis.exitCode;
}

/** @param logTo standard output by default */
async function withDeps(act: (deps: Deps) => Promise<number>, logTo?: NodeJS.WritableStream): Promise<number> {
  const deps = await createDeps(commandConfig(), commandLog(logTo));
  try {
    return await act(deps);
  } catch (error) {
    throw withoutDriverText(error);
  } finally {
    await deps.close();
  }
}

function commandConfig(): Config {
  const config = parseConfig(environment());
  for (const { variable, text } of trustExtraAuthorities(config, environment()))
    process.stderr.write(`${variable} ${text}\n`);
  return config;
}

const commandLog = (logTo?: NodeJS.WritableStream): Log => createLog({ level: 'warn', production: false }, logTo);

function usage(): number {
  process.stderr.write(`${USAGE}\n`);
  return 2;
}

main(process.argv.slice(2)).then(
  (code) => {
    if (code !== undefined) process.exitCode = code;
  },
  (error: unknown) => {
    // Only the message: a configuration error names every problem, and a stack trace would not help.
    process.stderr.write(`${error instanceof Error ? error.message : 'The service could not start.'}\n`);
    process.exitCode = 1;
  },
);
