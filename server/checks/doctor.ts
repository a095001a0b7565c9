import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { attempt } from '../../shared/json.ts';
import { type Config, halfConfigured, type OperatorsApi } from '../config/config.ts';
import { trustExtraAuthorities } from '../config/extra-authorities.ts';
import { ConfigurationError, parseConfig } from '../config/parse-config.ts';
import { adminClients, openStorage, type Storage, SYSTEM_CLOCK } from '../context.ts';
import type { Database } from '../db/database.ts';
import { actionOn, reasonOf } from '../db/errors.ts';
import { namesOfRun } from '../db/migrate.ts';
import { operatorList } from '../features/security/operators.ts';
import { geoFiles } from '../geo/geo-file.ts';
import { geoLookup } from '../geo/geo-lookup.ts';
import { createLog } from '../log.ts';
import { type Authorization, keyPresence } from '../upstream/credentials.ts';
import { type Check, type CheckId, critical, type Finding, type Need, pass, warn } from './check.ts';
import { allChecks, examine } from './posture.ts';

/** @returns undefined for invalid arguments. `connects`: false to check only the environment */
export function parseDoctorArguments(args: readonly string[]) {
  const [flag, value] = [{ type: 'boolean' }, { type: 'string' }] as const;
  const options = { environment: flag, quick: flag, json: flag, from: value };
  const parsed = attempt(() => parseArgs({ args: [...args], options }));
  if (parsed === undefined) return undefined;
  const { environment = false, json = false, quick = false, from: address } = parsed.values;
  const from = address === undefined ? undefined : originOf(address);
  if (environment && (address !== undefined || quick)) return undefined;
  return address !== undefined && from === undefined ? undefined : { connects: !environment, quick, json, from };
}

/** @returns undefined unless the argument is an origin */
function originOf(argument: string): string | undefined {
  if (!URL.canParse(argument)) return undefined;
  const { origin, protocol, pathname, search, hash } = new URL(argument);
  return /^https?:$/.test(protocol) && pathname === '/' && search + hash === '' ? origin : undefined;
}

/** A check and what it found. */
export interface Diagnosed extends Finding {
  id: string;
  title: string;
}

export interface Diagnosis {
  checks: readonly Diagnosed[];
  /** Checks that lack what they require. */
  notRun: readonly { id: CheckId; title: string; reason: string }[];
  /** 1: operators cannot sign in. 2: something is open or about to fail. 0: neither. */
  exitCode: 0 | 1 | 2;
}

interface DoctorOptions {
  /** False to check only the environment. */
  connects: boolean;
  /** Leaves out the audit trail, whose verification takes minutes if it is long. */
  quick?: boolean;
  /** The public origin of a running dashboard, to check it from outside. */
  from?: string | undefined;
}

const CHECK_TIMEOUT_MS = 8_500;

/** Checks an environment and everything it refers to, without changing tables, rows or services. */
export async function diagnose(env: NodeJS.ProcessEnv, options: DoctorOptions): Promise<Diagnosis> {
  const { config, findings } = readEnvironment(env);
  const checks: Diagnosed[] = findings.map((finding) => ({ id: 'environment', title: 'The environment', ...finding }));
  const notRun: Diagnosis['notRun'][number][] = [];
  if (config !== undefined && options.connects)
    await withDatabase(config, async (storage, { finding, state }) => {
      checks.push({ id: 'database', title: 'The database', ...finding });
      const lacks = reasonsNotToRun(config, state, options);
      const all = checksOutside(storage, state, options);
      // First and without a time limit, since a long trail takes minutes. Its check reports what this found.
      if (lacks.trail === undefined) await all.audit_chain.look().catch(() => {});
      const running: Promise<Diagnosed>[] = [];
      for (const [id, check] of Object.entries(all) as [CheckId, Check | undefined][]) {
        if (check === undefined) continue;
        const reason = check.needs && lacks[check.needs];
        if (reason === undefined) running.push(examine(id, check, log, CHECK_TIMEOUT_MS));
        else notRun.push({ id, title: check.title, reason });
      }
      checks.push(...(await Promise.all(running)));
    });
  const failed = checks.filter(({ status }) => status === 'fail');
  return { checks, notRun, exitCode: failed.length === 0 ? 0 : failed.some((check) => check.critical) ? 1 : 2 };
}

function readEnvironment(env: NodeJS.ProcessEnv): { config?: Config; findings: Finding[] } {
  try {
    const config = parseConfig(env);
    const unread = trustExtraAuthorities(config, env);
    const findings = [
      ...unread.map(({ variable, text, action }) => warn(`${variable} ${text}`, action)),
      ...halfConfigured(config).map(([unset, set]) => warn(`${set} is set without ${unset}.`, `Set ${unset}, too.`)),
    ];
    return { config, findings: findings.length > 0 ? findings : [pass('All variables are valid.')] };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const action = 'Correct it; see the table of variables in docs/configure.md.';
    return {
      findings: error.problems.map((problem) => critical(problem.endsWith('?') ? problem : `${problem}.`, action)),
    };
  }
}

interface FoundDatabase {
  finding: Finding;
  /** `empty`: there are no tables yet. */
  state: 'unreachable' | 'empty' | 'filled';
}

const REACH_TIMEOUT_MS = 3_000;
/** What fails is in the findings. */
const log = createLog({ level: 'silent', production: false });

/** Opens the configured database without changing it, and closes it after `work`. A missing SQLite file is not created. */
async function withDatabase(
  config: Config,
  work: (storage: Storage, found: FoundDatabase) => Promise<void>,
): Promise<void> {
  let { database } = config;
  let folder: string | undefined;
  if (database.client === 'sqlite' && !existsSync(database.path)) {
    folder = mkdtempSync(join(tmpdir(), 'doctor-'));
    database = { client: 'sqlite', path: join(folder, 'empty.sqlite') };
    writeFileSync(database.path, '');
  }
  if (database.client === 'sqlite') database = { ...database, readOnly: true };
  const storage = openStorage({ ...config, database }, log, SYSTEM_CLOCK);
  const noFile = folder && pass('There is no file yet: the service creates it when it starts.');
  try {
    const found = await reach(storage.database);
    await work({ ...storage, config }, { ...found, ...(noFile && { finding: noFile }) });
  } finally {
    await storage.close();
    if (folder !== undefined) rmSync(folder, { recursive: true });
  }
}

async function reach(database: Database): Promise<FoundDatabase> {
  const timeout = sleep(REACH_TIMEOUT_MS, undefined, { ref: false }).then(() => {
    throw Object.assign(new Error('no response in time'), { code: 'ETIMEDOUT' });
  });
  try {
    const names = await Promise.race([database.ping().then(() => namesOfRun(database)), timeout]);
    const what = database.client === 'sqlite' ? 'The file can be read' : 'It responds';
    return names.length > 0
      ? { finding: pass(`${what}.`), state: 'filled' }
      : { finding: pass(`${what}, and has no tables yet.`), state: 'empty' };
  } catch (error) {
    const detail = `It cannot be used: ${reasonOf(error)}. Its contents have not been checked.`;
    return { finding: critical(detail, actionOn(error)), state: 'unreachable' };
  }
}

/** The checks on a database that need not be prepared. The audit trail is verified once, as a whole. */
function checksOutside(storage: Storage, state: FoundDatabase['state'], { from }: DoctorOptions) {
  const { config, audit, auditSearch, clock } = storage;
  // Without tables, no keys are stored, so services are called without a key.
  const authorization: Authorization = state === 'filled' ? storage.authorization : async () => undefined;
  const platform = adminClients({ ...storage, authorization });
  let verdict: ReturnType<typeof audit.verify> | undefined;
  return allChecks({
    ...{ ...storage, ...platform, authorization, hasKey: keyPresence(authorization), from, started: false },
    geo: geoLookup(geoFiles(config.geoDatabase), clock.monotonic),
    listOperators: operatorList({
      search: auditSearch,
      store: platform.operators,
      withRole: 'no_index',
      roles: config.auth.roles,
      clock,
    }),
    async chainState() {
      verdict ??= audit.verify();
      const end = await verdict;
      if (!end.ok)
        return { status: 'broken', verified_to: end.sequence - 1, head: end.sequence, broken_at: end.sequence };
      return { status: 'whole', verified_to: end.head.sequence, head: end.head.sequence, broken_at: null };
    },
  });
}

/** Why checks that require something are not run. */
function reasonsNotToRun(
  { auth }: Config,
  state: FoundDatabase['state'],
  { from, quick }: DoctorOptions,
): Record<Need, string | undefined> {
  const noTables = state === 'filled' ? undefined : 'There are no tables that can be read.';
  const noDatabase = state === 'unreachable' ? 'The database cannot be used.' : undefined;
  const noKey = ({ key, upstream }: OperatorsApi): string | undefined =>
    noDatabase && key === undefined && upstream !== undefined ? `${noDatabase} It may contain the key.` : undefined;
  return {
    service: 'Only the running service knows: see the security page.',
    from: from === undefined ? 'Name the public address of the running service: --from.' : undefined,
    database: noDatabase,
    tables: noTables,
    trail: noTables ?? (quick ? '--quick leaves it out.' : undefined),
    'store key': noKey(auth.store),
    'OAuth admin key': noKey(auth.oauthAdmin),
  };
}

const STATUS_COLUMN = 9;
const TITLE_COLUMN = 34;
const TEXT_COLUMN = 57;
const WORST_FIRST = ['LOCKED', 'OPEN', 'warning', 'unknown', 'not run', 'ok'] as const;
const CONCLUSIONS: Record<Diagnosis['exitCode'], string> = {
  0: 'Nothing was found that keeps operators from signing in, and nothing is open.',
  1: 'Operators cannot sign in: see LOCKED.',
  2: 'Nothing was found that keeps operators from signing in. Something is open or about to fail: see OPEN.',
};

/** A table for a terminal of 100 columns: each problem, what to do about it, and the commands to run. */
export function printedDiagnosis({ checks, notRun, exitCode }: Diagnosis): string {
  const rows = [
    ...checks.map(rowOf),
    ...notRun.map(({ title, reason }) => ({ word: 'not run', title, texts: [reason], commands: [] })),
  ];
  const lines = WORST_FIRST.flatMap((word) => rows.filter((row) => row.word === word).flatMap(linesOf));
  return [...lines, '', CONCLUSIONS[exitCode]].map((line) => `${line}\n`).join('');
}

/** The complete diagnosis, for programs. */
export function diagnosisAsJson({ checks, notRun, exitCode }: Diagnosis): string {
  const asJson = ({ id, title, status, detail, action, commands = [], critical: locksOut = false }: Diagnosed) => ({
    ...{ id, title, status, locks_out: locksOut, detail },
    action: status === 'pass' ? null : action,
    commands,
  });
  return `${JSON.stringify({ exit_code: exitCode, checks: checks.map(asJson), not_run: notRun }, null, 2)}\n`;
}

function rowOf({ title, status, detail, action, commands = [], critical: locksOut }: Diagnosed) {
  if (status === 'pass') return { word: 'ok', title, texts: [detail], commands: [] };
  const word = { warn: 'warning', unknown: 'unknown', fail: locksOut ? 'LOCKED' : 'OPEN' }[status];
  return { word, title, texts: [detail, `→ ${action}`], commands };
}

function linesOf({ word, title, texts, commands }: ReturnType<typeof rowOf>): string[] {
  const left = wrapped(title, TITLE_COLUMN - 2);
  const right = texts.flatMap((text) => wrapped(text, TEXT_COLUMN));
  const lines = Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
    const start = (index === 0 ? word : '').padEnd(STATUS_COLUMN);
    return `${start}${(left[index] ?? '').padEnd(TITLE_COLUMN)}${right[index] ?? ''}`.trimEnd();
  });
  // Commands are not wrapped, so that they can be copied.
  return [...lines, ...commands.map((command) => `${' '.repeat(STATUS_COLUMN)}$ ${command}`)];
}

const wrapped = (text: string, width: number): string[] =>
  text
    .replace(new RegExp(`(.{1,${width}})(?: |$)`, 'g'), '$1\n')
    .trimEnd()
    .split('\n');
