import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, lstatSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { VARIABLES } from '../config/variables.ts';
import { type Found, SetupFailed } from './step.ts';

const GENERATED = ['SESSION_SIGNING_KEY', 'ENCRYPTION_KEY'] as const;
const KNOWN = new Set<string>(VARIABLES);
/** They are shown when they change; anything else may be a secret. */
const SECRET = /KEY|DATABASE_URL/;

export interface EnvironmentFile {
  path: string;
  /** What it should hold. */
  wanted: Readonly<Record<string, string>>;
  /** What it holds; empty if there is none. */
  present: Readonly<Record<string, string>>;
}

/**
 * The variables of this installation: those of the environment, then those of the file, then defaults. Keys and the
 * password of the database are generated where they are missing, and never replaced.
 * @throws SetupFailed for a file that others can read, or that is none
 */
export function environmentFile(path: string, given: NodeJS.ProcessEnv): EnvironmentFile {
  const present = read(path);
  const wanted: Record<string, string> = { ...present };
  for (const [name, value] of Object.entries(given))
    if (KNOWN.has(name) && value?.trim() && value !== wanted[name]) wanted[name] = value;
  const isGiven = (name: string): boolean => Boolean(wanted[name]?.trim() || wanted[`${name}_FILE`]?.trim());
  const defaults: Record<string, () => string> = {
    NODE_ENV: () => 'production',
    OAUTH_CLIENT_ID: () => 'dashboard',
    OPERATOR_SCHEMA_IDS: () => 'operator',
    DATABASE_URL: () => `mysql://dashboard:${randomBytes(24).toString('hex')}@127.0.0.1/dashboard`,
    ...Object.fromEntries(GENERATED.map((name) => [name, () => randomBytes(32).toString('base64')])),
  };
  for (const [name, make] of Object.entries(defaults)) if (!isGiven(name)) wanted[name] = make();
  return { path, wanted, present };
}

/** Writes it, or says what would be written. */
export function lookAtFile({ path, wanted, present }: EnvironmentFile): Found {
  const changed = Object.keys(wanted).filter((name) => wanted[name] !== present[name]);
  if (changed.length === 0) return { state: 'done', text: `${path} holds every variable.` };
  const differences = changed.map((name) => {
    const [before, after] = [present[name], wanted[name]];
    if (SECRET.test(name)) return before === undefined ? `${name}: added` : `${name}: replaced by the one given`;
    return before === undefined ? `${name}=${after}` : `${name}: ${before} → ${after}`;
  });
  return {
    state: 'todo',
    text: Object.keys(present).length === 0 ? `Create ${path}, readable by you alone` : `Change ${path}`,
    differences,
    apply: async () => {
      write(
        path,
        Object.entries(wanted)
          .map(([name, value]) => `${name}=${quoted(name, value)}\n`)
          .join(''),
      );
      return [];
    },
  };
}

function read(path: string): Record<string, string> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return {};
  if (!found.isFile()) throw new SetupFailed(`${path} is not a file.`);
  if ((found.mode & 0o077) !== 0) throw new SetupFailed(`Others can read ${path}: chmod 600 ${path}`);
  return parseEnv(readFileSync(path, 'utf8')) as Record<string, string>;
}

/** As Node's `--env-file` reads it back. */
function quoted(name: string, value: string): string {
  if (/^[\w.,:;/+=@%?&~*()[\]{}!-]*$/.test(value)) return value;
  const quote = [`'`, '"', '`'].find((one) => !value.includes(one));
  const text = `${quote}${value}${quote}`;
  if (quote === undefined || parseEnv(`${name}=${text}`)[name] !== value)
    throw new SetupFailed(`The value of ${name} cannot be written to a file of variables: give it as ${name}_FILE.`);
  return text;
}

/** All of it or nothing, readable by its owner alone. @throws SetupFailed */
export function write(path: string, text: string): void {
  const draft = `${path}.${process.pid}.draft`;
  try {
    rmSync(draft, { force: true });
    const file = openSync(draft, 'wx', 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new SetupFailed(`${path} could not be written: ${(error as NodeJS.ErrnoException).code}.`);
  }
}
