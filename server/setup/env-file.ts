import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { isDeepStrictEqual, parseEnv } from 'node:util';
import { isServiceLink, missingDefaults, VARIABLES } from '../config/variables.ts';
import { type Found, SetupFailed } from './step.ts';

const DEFAULT_NAME = 'dashboard.env';
const GENERATED = ['SESSION_SIGNING_KEY', 'ENCRYPTION_KEY'] as const;
const KNOWN = new Set<string>(VARIABLES);
/** They are shown when they change; anything else may be a secret. */
const SECRET = /KEY|DATABASE_URL/;

/**
 * The variables of this installation: those of the environment, then those of the file, then defaults. Keys and the
 * password of the database are generated where they are missing; a key is replaced only if it stays as the previous one.
 * @param pathGiven undefined: the default one
 * @throws SetupFailed for a file that others can read, or that is none, and for another key than its own
 */
export function environmentFile(pathGiven: string | undefined, env: NodeJS.ProcessEnv) {
  const path = pathGiven ?? DEFAULT_NAME;
  /** Undefined if there is no file. */
  const text = read(path);
  const present: Record<string, string | undefined> = parseEnv(text ?? '');
  const variables = { ...present };
  for (const [name, value] of Object.entries(env))
    if (KNOWN.has(name) && value?.trim() && !isServiceLink(name, value)) variables[name] = value;
  for (const name of GENERATED)
    if (present[name]?.trim() && variables[name] !== present[name] && variables[`${name}_PREVIOUS`] !== present[name])
      throw new SetupFailed(
        `${name} is another than in ${path}: unset it, or give the one of the file as ${name}_PREVIOUS.`,
      );
  const defaults = {
    NODE_ENV: 'production',
    OAUTH_CLIENT_ID: 'dashboard',
    OPERATOR_SCHEMA_IDS: 'operator',
    DATABASE_URL: `mysql://dashboard:${randomBytes(24).toString('hex')}@127.0.0.1/dashboard`,
    ...Object.fromEntries(GENERATED.map((name) => [name, randomBytes(32).toString('base64')])),
  };
  Object.assign(variables, missingDefaults(defaults, variables));
  /** False if no file was named, and the environment holds everything: that of a container, say. */
  const isNeeded = pathGiven !== undefined || Object.keys(variables).some((name) => variables[name] !== env[name]);
  return { path, text, present, variables, isNeeded };
}

/** Writes it, or says what would be written. */
export function lookAtFile({ path, text, present, variables, isNeeded }: ReturnType<typeof environmentFile>): Found {
  if (!isNeeded) return { state: 'ok', text: 'The environment holds every variable.' };
  const changed = Object.keys(variables).filter((name) => variables[name] !== present[name]);
  if (changed.length === 0) return { state: 'ok', text: `${path} holds every variable.` };
  return {
    state: 'to do',
    text: Object.keys(present).length === 0 ? `Create ${path}, readable by you alone` : `Change ${path}`,
    lines: changed.map((name) => {
      const [before, after] = [present[name], variables[name]];
      if (SECRET.test(name)) return before === undefined ? `${name}: added` : `${name}: replaced by the one given`;
      return before === undefined ? `${name}=${after}` : `${name}: ${before} → ${after}`;
    }),
    async apply() {
      if (read(path) !== text) throw changedSince(path);
      const lines = new Map(
        Object.entries(variables).map(([name, value = '']) => [name, `${name}=${quoted(name, value)}`]),
      );
      const edited = withLines(text ?? '', new Map([...lines].filter(([name]) => changed.includes(name))));
      const isWhole = isDeepStrictEqual({ ...parseEnv(edited) }, variables);
      write(path, isWhole ? edited : `${[...lines.values()].join('\n')}\n`, 0o600, text === undefined);
      return undefined;
    },
  };
}

/** Each line in place of the one that gives its variable, or else at the end. */
function withLines(text: string, lines: ReadonlyMap<string, string>): string {
  const rest = new Map(lines);
  const kept = (text === '' ? [] : text.replace(/\n$/, '').split('\n')).map((line) => {
    const [, name = ''] = /^\s*(?:export\s+)?(\w+)\s*=/.exec(line) ?? [];
    const replaced = lines.get(name);
    rest.delete(name);
    return replaced ?? line;
  });
  return `${[...kept, ...rest.values()].join('\n')}\n`;
}

const changedSince = (path: string): SetupFailed =>
  new SetupFailed(`${path} was changed in the meantime: run this again.`);

function read(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isFile()) throw new SetupFailed(`${path} is not a file.`);
  if ((found.mode & 0o077) !== 0) throw new SetupFailed(`Others can read ${path}: chmod 600 ${path}`);
  return readFileSync(path, 'utf8');
}

/** As Node's `--env-file` reads it back. */
function quoted(name: string, value: string): string {
  if (/^[\w.,:;/+=@%?&~*()[\]{}!-]*$/.test(value)) return value;
  const quote = [`'`, '"', '`'].find((one) => parseEnv(`${name}=${one}${value}${one}`)[name] === value);
  if (quote === undefined)
    throw new SetupFailed(`The value of ${name} cannot be written to a file of variables: give it as ${name}_FILE.`);
  return `${quote}${value}${quote}`;
}

/** Leaves a file that holds something else as it is. @throws SetupFailed */
export function writeUnlessThere(path: string, text: string): undefined {
  const present = read(path);
  if (present === undefined) write(path, text, 0o600, true);
  else if (present !== text) throw new SetupFailed(`${path} holds something else: move it away, and run this again.`);
}

/** All of it or nothing, readable by its owner alone by default. @param isNew refuses to replace a file @throws SetupFailed */
export function write(path: string, text: string, mode = 0o600, isNew = false): void {
  const draft = `${path}.${process.pid}.draft`;
  try {
    rmSync(draft, { force: true });
    const file = openSync(draft, 'wx', mode);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (isNew) linkSync(draft, path);
    else renameSync(draft, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw isNew && code === 'EEXIST' ? changedSince(path) : new SetupFailed(`${path} could not be written: ${code}.`);
  } finally {
    rmSync(draft, { force: true });
  }
}
