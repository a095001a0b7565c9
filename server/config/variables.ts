import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { UPSTREAMS, type UpstreamFacts } from '../../shared/upstreams.ts';
import { isCidr } from '../networks.ts';

/** Whether this is the built service; its sources end in `.ts`. */
export const isBuilt = import.meta.url.endsWith('.js');

/** The only place in the service that reads the environment. */
export const environment = (): NodeJS.ProcessEnv => process.env;

export const KEY_VARIABLES = [
  'SESSION_SIGNING_KEY',
  'ENCRYPTION_KEY',
  'SESSION_SIGNING_KEY_PREVIOUS',
  'ENCRYPTION_KEY_PREVIOUS',
] as const;

/** Secrets that may also be given as a file: `SESSION_SIGNING_KEY_FILE`. */
const SECRETS = [
  ...KEY_VARIABLES,
  'DATABASE_URL',
  'AUTH_IDENTITY_ADMIN_KEY',
  'AUTH_ADMIN_KEY',
  'OAUTH_CLIENT_SECRET',
  'EVENTS_KEY',
] as const;

export const FILE_VARIABLES = SECRETS.map((variable) => ({ variable, file: `${variable}_FILE` as const }));

const OTHERS = [
  'NODE_ENV',
  'DEPLOYMENT',
  'HOST',
  'PORT',
  'BASE_URL',
  'ALLOWED_HOSTS',
  'MIGRATIONS',
  'AUTH_URL',
  'AUTH_INTERNAL_URL',
  'AUTH_ISSUER',
  'OAUTH_CLIENT_ID',
  'OAUTH_SCOPE',
  'OAUTH_SIGN_OUT',
  'AUTH_IDENTITY_ADMIN_URL',
  'AUTH_IDENTITY_URL',
  'AUTH_ADMIN_URL',
  'OPERATORS_FROM',
  'OPERATOR_EMAIL_VERIFIED',
  'OPERATOR_ROLE_CLAIM',
  'OPERATOR_ROLE_VALUES',
  'OPERATOR_ROLE_FROM',
  'OPERATOR_SCHEMA_IDS',
  'EXTRA_ROLES',
  'REQUIRE_REASON',
  'PROXY_TIMEOUT_MS',
  'PROXY_REQUIRE_SESSION',
  'TRUST_PROXY',
  'ALLOWED_NETWORKS',
  'KEEP_ALIVE_SECONDS',
  'NODE_EXTRA_CA_CERTS',
  'GEOIP_DATABASE',
  'IDENTITY_INDEX',
  'IDENTITY_INDEX_MAX_MB',
  'SETTINGS_CACHE_TTL_SECONDS',
  'ENVIRONMENT_LABEL',
  'LOG_LEVEL',
  'METRICS_HOST',
  'METRICS_PORT',
  'EVENTS_HOST',
  'EVENTS_PORT',
  'EVENTS_DAYS',
] as const;

/** The name of an environment variable that the service reads. Reading any other does not compile. */
export type Variable =
  | (typeof SECRETS)[number]
  | (typeof OTHERS)[number]
  | (typeof FILE_VARIABLES)[number]['file']
  | UpstreamFacts['urlVariable'];

/** Every environment variable of the service. */
export const VARIABLES: readonly Variable[] = [
  ...SECRETS,
  ...OTHERS,
  ...FILE_VARIABLES.map(({ file }) => file),
  ...UPSTREAMS.map(({ urlVariable }) => urlVariable),
];

const MAX_BYTES = 64 * 1024;

export interface Secret {
  text?: string;
  problem?: string;
}

export type VariableReader = ReturnType<typeof variableReader>;

/**
 * Reads variables as values of a type and collects all problems. An empty variable counts as unset; a secret may be
 * given as a file, `X_FILE` instead of `X`. A variable that cannot be used reads as unset.
 */
export function variableReader(env: NodeJS.ProcessEnv) {
  /** Each begins with the name of a variable; contains no value. */
  const problems: string[] = [];
  const secrets = new Map<string, string | undefined>();
  for (const { variable, file } of FILE_VARIABLES) {
    const path = env[file]?.trim();
    if (!path) continue;
    const secret: Secret = env[variable]?.trim()
      ? { problem: `must not be set as well as ${variable}` }
      : secretIn(path);
    if (secret.problem !== undefined) problems.push(`${file} ${secret.problem}`);
    secrets.set(variable, secret.text);
  }

  /** The value as it is, without trimming. */
  function read(name: Variable): string | undefined {
    if (secrets.has(name)) return secrets.get(name);
    return isServiceLink(name, env[name]) ? undefined : env[name];
  }

  /** Reports a problem with a variable, unless its file has one already. */
  function refuse(name: string, problem: string): undefined {
    const isReported = secrets.has(name) && secrets.get(name) === undefined;
    if (!isReported) problems.push(`${name} ${problem}`);
  }

  const text = (name: Variable): string | undefined => read(name)?.trim() || undefined;

  const list = (name: Variable): string[] | undefined =>
    text(name)
      ?.split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');

  return {
    problems,
    read,
    refuse,
    text,
    list,
    oneOf<T extends string>(name: Variable, allowed: readonly T[], fallback: T): T {
      const value = text(name);
      if (value === undefined) return fallback;
      const known = allowed.find((item) => item === value);
      return known ?? refuse(name, `must be one of ${allowed.join(', ')}`) ?? fallback;
    },
    integer(name: Variable, fallback: number, min: number, max: number): number {
      const value = text(name);
      if (value === undefined) return fallback;
      const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
      if (number >= min && number <= max) return number;
      return refuse(name, `must be a whole number from ${min} to ${max}`) ?? fallback;
    },
    /** An http(s) address without query, fragment or credentials; a trailing slash is dropped. */
    address(name: Variable): string | undefined {
      const value = text(name);
      if (value === undefined) return undefined;
      const url = URL.canParse(value) ? new URL(value) : undefined;
      if (
        url === undefined ||
        !/^https?:$/.test(url.protocol) ||
        url.search ||
        url.hash ||
        url.username ||
        url.password
      )
        return refuse(name, 'must be an http or https URL without credentials, query and fragment');
      return url.href.replace(/\/+$/, '');
    },
    networks(name: Variable): string[] | undefined {
      const ranges = list(name);
      if (ranges === undefined || ranges.every(isCidr)) return ranges;
      return refuse(name, 'must be a comma-separated list of CIDR ranges');
    },
  };
}

/** The defaults for variables that an environment sets neither as a value nor as a file. */
export const missingDefaults = (
  defaults: Readonly<Record<string, string | undefined>>,
  given: NodeJS.ProcessEnv,
): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(defaults).filter(([name]) => !given[name]?.trim() && !given[`${name}_FILE`]?.trim()),
  );

/** The content of a file, or what is wrong with it. Never blocks, and reads no more than the allowed size. */
export function secretIn(path: string): Secret {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(file).isFile()) return { problem: 'must name a file' };
    const buffer = Buffer.alloc(MAX_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read)
      read = readSync(file, buffer, length, buffer.length - length, null);
    if (length > MAX_BYTES) return { problem: `names a file of more than ${MAX_BYTES / 1024} KiB` };
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(buffer.subarray(0, length));
    const secret = text.replace(/\r?\n$/, '');
    return secret.trim() === '' ? { problem: 'names an empty file' } : { text: secret };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return { problem: 'names a file that is not UTF-8 text' };
    return { problem: `names a file that cannot be read: ${code}` };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** A variable that is set but not read, although its name is, or resembles, one of ours. */
export interface Unread {
  variable: string;
  /** The rest of the sentence after the name; contains no value. */
  text: string;
  action: string;
}

/** The minimum numbers of letters and digits: shorter names resemble unrelated ones by chance. */
const ONE_EDIT_FROM = 7;
const TWO_EDITS_FROM = 11;

const SERVICE_LINK = {
  text: 'is ignored: Kubernetes has set it for a Service of that name (enableServiceLinks)',
  action: 'Set enableServiceLinks: false in the pod, or set the variable explicitly.',
};

const CORRECT = 'Correct the name, or unset it.';

const known = new Set<string>(VARIABLES);
const bare = (name: string): string => name.replace(/[^a-z0-9]/gi, '').toUpperCase();
const ours = VARIABLES.map((name) => ({ name, letters: bare(name) }));

/**
 * The address of a Service, as Kubernetes sets it in each container of the namespace: `METRICS_PORT=tcp://10.0.0.1:80`.
 */
const isServiceAddress = (value: string | undefined): boolean => /^(?:tcp|udp|sctp):\/\//.test(value?.trim() ?? '');

/** Whether one of our variables was set for a Service that happens to have its name. */
export const isServiceLink = (name: string, value: string | undefined): boolean =>
  /_(?:PORT|HOST)$/.test(name) && isServiceAddress(value);

/**
 * Finds names that differ from one of ours in case or separators, or by a letter or two if it is long, and our own
 * names if Kubernetes has set them. An empty variable counts as unset.
 */
export const unreadVariables = (env: NodeJS.ProcessEnv): Unread[] =>
  Object.keys(env)
    .filter((name) => /^[\w.-]+$/.test(name) && env[name]?.trim())
    .flatMap((variable) => {
      if (known.has(variable)) return isServiceLink(variable, env[variable]) ? [{ variable, ...SERVICE_LINK }] : [];
      if (isServiceAddress(env[variable])) return [];
      const meant = nearest(bare(variable));
      return meant === undefined ? [] : [{ variable, text: `is not read: did you mean ${meant}?`, action: CORRECT }];
    });

function nearest(letters: string): Variable | undefined {
  let found: { name: Variable; edits: number } | undefined;
  for (const { name, letters: own } of ours) {
    const allowed = own.length >= TWO_EDITS_FROM ? 2 : own.length >= ONE_EDIT_FROM ? 1 : 0;
    if (Math.abs(own.length - letters.length) > allowed) continue;
    const edits = editsBetween(own, letters);
    if (edits <= allowed && edits < (found?.edits ?? Number.POSITIVE_INFINITY)) found = { name, edits };
  }
  return found?.name;
}

/** The optimal string alignment distance: letters added, omitted or replaced, and neighbours swapped. */
function editsBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = at(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const exchanged =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
          ? at(beforeLast, column - 2) + 1
          : replaced;
      current.push(Math.min(replaced, exchanged, at(last, column) + 1, at(current, column - 1) + 1));
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, b.length);
}

const at = (row: readonly number[], column: number): number => row[column] as number;
