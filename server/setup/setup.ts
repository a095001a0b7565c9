import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { UpstreamName } from '../../shared/upstreams.ts';
import type { Config } from '../config/config.ts';
import { parseConfig } from '../config/parse-config.ts';
import { openStorage, platformClients, type Storage } from '../context.ts';
import { DatabaseNotReady, withoutDriverText } from '../db/errors.ts';
import { namesOfRun } from '../db/migrate.ts';
import { operatorSchemas } from '../features/security/posture/operators.ts';
import type { Log } from '../log.ts';
import { memoryBudgets, usableMemory } from '../process/memory.ts';
import type { Authorization } from '../upstream/credentials.ts';
import { adminApi } from './admin-api.ts';
import { type EnvironmentFile, environmentFile, lookAtFile } from './env-file.ts';
import { administratorStep, schemaOfAdministrators, schemaStep } from './operator-steps.ts';
import { type Found, SetupFailed, type Step } from './step.ts';
import { databaseStep, type GivenKeys, keySteps, oauthClientStep, readKeys } from './steps.ts';

export interface SetupRequest {
  /** Undefined: a default name, and no file where the environment holds everything. */
  envFile: string | undefined;
  /** Email address of the first administrator. */
  admin: string | undefined;
  /** `NAME=FILE` each. */
  keys: readonly string[];
  /** False: only the plan is shown. */
  yes: boolean;
}

/** @returns undefined for arguments that the command does not know */
export function parseSetupArguments(args: readonly string[]): SetupRequest | undefined {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        file: { type: 'string' },
        admin: { type: 'string' },
        key: { type: 'string', multiple: true, default: [] },
        yes: { type: 'boolean', default: false },
      },
    });
    const { file: envFile, admin, key: keys, yes } = values;
    if (envFile === '' || (admin !== undefined && !/^[^\s@]{1,64}@[^\s@]{1,255}$/.test(admin))) return undefined;
    return { envFile, admin, keys, yes };
  } catch {
    return undefined;
  }
}

/** 0: nothing is left. 1: something failed, or is left for a person. 3: a plan with something to do. */
export type SetupExitCode = 0 | 1 | 3;

/**
 * Creates what an installation lacks, in an order in which each step needs only those before it. Interrupted, it goes on
 * where it was when it runs again: each step looks first.
 * @param print takes one line
 * @param now milliseconds since the epoch
 * @throws ConfigurationError, SetupFailed before anything was done
 */
export async function setUp(
  env: NodeJS.ProcessEnv,
  request: SetupRequest,
  options: { log: Log; now: () => number; print: (line: string) => void },
): Promise<SetupExitCode> {
  const { log, now, print } = options;
  const keys = readKeys(request.keys);
  const file = environmentFile(request.envFile, env);
  const config = parseConfig(file.wanted);
  const storage = openStorage(config, {
    memory: memoryBudgets(usableMemory()),
    log,
    now,
    monotonic: () => performance.now(),
  });
  try {
    const steps = [
      { title: 'Environment file', look: async () => lookAtFile(file) },
      databaseStep(config, storage, `${file.path.replace(/\.env$/, '')}.create-database.sql`),
      ...stepsOnPlatform(config, storage, keys, { admin: request.admin, envFile: file.path }),
    ];
    return await (request.yes ? carriedOut(steps, { file, config }, print) : planned(steps, print));
  } finally {
    await storage.close();
  }
}

function stepsOnPlatform(
  config: Config,
  storage: Storage,
  keys: GivenKeys,
  request: { admin: string | undefined; envFile: string },
): Step[] {
  const hasTables = async (): Promise<boolean> => {
    if (config.database.client === 'sqlite' && !existsSync(config.database.path)) return false;
    return (await namesOfRun(storage.database).catch(() => [])).length > 0;
  };
  const keyOf = async (name: UpstreamName): Promise<string | undefined> => {
    const given = keys.get(name);
    if (given !== undefined) return `Bearer ${given}`;
    return (await hasTables()) ? storage.authorization(name) : undefined;
  };
  const authorization: Authorization = Object.assign(keyOf, { atHand: () => undefined });
  const { operatorsApi, signInApi } = platformClients(config, authorization, memoryBudgets(usableMemory()));
  const { audit } = storage;
  const { store, oauthAdmin } = config.auth;
  const oauth = adminApi(oauthAdmin, { api: signInApi, audit });
  const people = adminApi(store, { api: operatorsApi, audit });
  const schemas = operatorSchemas(store.publicUrl);
  return [
    ...keySteps(keys, storage, hasTables),
    oauthClientStep(config, oauth),
    schemaStep(config, schemas, request.envFile),
    administratorStep(config, people, request.admin, async () =>
      schemaOfAdministrators(config.auth, (await schemas()) ?? []),
    ),
  ];
}

async function planned(steps: readonly Step[], print: (line: string) => void): Promise<SetupExitCode> {
  let left = false;
  let failed = false;
  for (const { title, look } of steps) {
    const found = await look().catch(told);
    if (found instanceof SetupFailed) {
      failed = true;
      printRow(print, 'failed', title, found.message);
      continue;
    }
    left ||= found.state !== 'done';
    printFound(print, title, found);
  }
  if (failed) return 1;
  print('');
  print(left ? 'This is a plan: nothing was changed. To carry it out, add --yes.' : 'Nothing to do.');
  return left ? 3 : 0;
}

async function carriedOut(
  steps: readonly Step[],
  { file, config }: { file: EnvironmentFile; config: Config },
  print: (line: string) => void,
): Promise<SetupExitCode> {
  for (const [index, { title, look }] of steps.entries()) {
    const found = await look().catch(told);
    if (found instanceof SetupFailed) {
      printRow(print, 'failed', title, found.message);
      return leftOver(steps, index, print);
    }
    if (found.state === 'by_hand') {
      const failure = prepared(found);
      if (failure instanceof SetupFailed) printRow(print, 'failed', title, failure.message);
      else printFound(print, title, found);
      return leftOver(steps, index, print);
    }
    if (found.state === 'done') {
      printFound(print, title, found);
      continue;
    }
    const lines = await found.apply().catch(told);
    if (lines instanceof SetupFailed) {
      printRow(print, 'failed', title, `${found.text}: ${lines.message}`);
      return leftOver(steps, index, print);
    }
    printRow(print, 'done', title, found.text, lines);
  }
  print('');
  print('Everything is set up. What no program can see or change:');
  for (const line of [...BY_HAND, ...(config.auth.roleFrom === 'traits.role' ? ROLE_BY_HAND : [])]) print(`  ${line}`);
  print('Check everything, and start it:');
  const variables = file.isNeeded ? `--env-file=${file.path} ` : '';
  for (const command of [' doctor', '']) print(`  node ${variables}dist/server/main.js${command}`);
  return 0;
}

const BY_HAND = [
  'Hydra’s configuration demands PKCE: oauth2.pkce.enforced_for_public_clients: true',
  'Hydra’s configuration names its pages: urls.login, urls.consent, urls.logout',
  'A reverse proxy in front of the dashboard speaks TLS, and TRUST_PROXY names it, unless BASE_URL is this machine',
  'Kratos’ configuration registers nobody as an operator: identity.default_schema_id is another schema than theirs',
];
/** Where a trait is the role. */
const ROLE_BY_HAND = [
  'Kratos’ configuration lets nobody change their own traits: selfservice.methods.profile.enabled: false',
];

function leftOver(steps: readonly Step[], from: number, print: (line: string) => void): 1 {
  const left = steps.slice(from).map(({ title }) => title);
  print('');
  print(`Left: ${left.join(', ')}. Run the same command again afterwards.`);
  return 1;
}

/** Writes what its lines name. @returns why that failed */
function prepared(found: Extract<Found, { state: 'by_hand' }>): SetupFailed | undefined {
  try {
    found.prepare?.();
    return undefined;
  } catch (error) {
    return told(error);
  }
}

/** A sentence for a person; anything else is a fault of the program. */
function told(error: unknown): SetupFailed {
  if (error instanceof SetupFailed) return error;
  const shown = withoutDriverText(error);
  if (shown instanceof DatabaseNotReady) return new SetupFailed(shown.message);
  throw error;
}

const WORDS: Record<Found['state'], string> = { done: 'ok', todo: 'to do', by_hand: 'by hand' };

function printFound(print: (line: string) => void, title: string, found: Found): void {
  const lines = 'lines' in found ? found.lines : 'differences' in found ? found.differences : [];
  printRow(print, WORDS[found.state], title, found.text, lines);
}

function printRow(
  print: (line: string) => void,
  word: string,
  title: string,
  text: string,
  lines: readonly string[] = [],
): void {
  print(`${word.padEnd(9)}${title}: ${text}`);
  for (const line of lines) print(`${' '.repeat(9)}${line}`);
}
