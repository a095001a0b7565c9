import { environment } from './config/env.ts';
import { ConfigurationError, parseConfig } from './config/parse-config.ts';
import { createDeps, type Deps } from './deps.ts';
import { hasFailed, printedPosture } from './features/security/posture/print-posture.ts';
import { setFromCommandLine } from './features/settings/set-from-command-line.ts';
import { exitOnUnforeseen } from './last-resort.ts';
import { createLog } from './log.ts';
import { startService } from './service.ts';

const USAGE = `Usage: node main.js                    run the service
       node main.js settings:set KEY   store standard input as the value of a setting
       node main.js audit:verify       check the chain of the audit trail
       node main.js posture            check how this deployment is set up`;

/** The production form: the service, or one of its commands on the same configuration. @returns the exit code */
async function main([command, ...args]: string[]): Promise<number | undefined> {
  switch (command) {
    case undefined:
      return run();
    case 'settings:set':
      return args.length === 1 ? withDeps((deps) => setSetting(deps, args[0] as string)) : usage();
    case 'audit:verify':
      return args.length === 0 ? withDeps(verifyAudit) : usage();
    case 'posture':
      return args.length === 0 ? withDeps(showPosture) : usage();
    default:
      return usage();
  }
}

async function run(): Promise<undefined> {
  const service = await startService(environment());
  exitOnUnforeseen(service.log);
  let closing = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (closing) return;
      closing = true;
      service.close().then(
        () => process.exit(0),
        () => process.exit(1),
      );
    });
}

async function setSetting({ vault }: Deps, key: string): Promise<number> {
  const { created } = await setFromCommandLine(vault, key, process.stdin);
  process.stdout.write(`${created ? 'Created' : 'Updated'} the setting.\n`);
  return 0;
}

async function verifyAudit({ audit }: Deps): Promise<number> {
  const verdict = await audit.verify();
  process.stdout.write(
    verdict.ok
      ? `The audit trail is whole: ${verdict.records} records.\n`
      : `The audit trail is broken at record ${verdict.sequence}: ${verdict.problem}\n`,
  );
  return verdict.ok ? 0 : 1;
}

/** The same checks as `GET /api/security/posture`, after the whole audit trail was looked at. */
async function showPosture({ chain, posture }: Deps): Promise<number> {
  while ((await chain.state()).status === 'checking');
  const found = await posture.read();
  process.stdout.write(printedPosture(found));
  return hasFailed(found) ? 1 : 0;
}

async function withDeps(act: (deps: Deps) => Promise<number>): Promise<number> {
  const deps = await createDeps(parseConfig(environment()), createLog({ level: 'warn', production: false }), Date.now);
  try {
    return await act(deps);
  } finally {
    await deps.close();
  }
}

function usage(): number {
  process.stderr.write(`${USAGE}\n`);
  return 2;
}

main(process.argv.slice(2)).then(
  (code) => {
    if (code !== undefined) process.exitCode = code;
  },
  (error: unknown) => {
    // The message alone: of a configuration it names every problem, and a stack would help nobody.
    const said =
      error instanceof ConfigurationError || error instanceof Error ? error.message : 'The service could not start.';
    process.stderr.write(`${said}\n`);
    process.exitCode = 1;
  },
);
