import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Recorded responses of real servers; see the README.md one folder up. */
const FOLDER = join(import.meta.dirname, '../fixtures/recordings');

export type ServiceName = 'kratos-public' | 'kratos-admin' | 'hydra-public' | 'hydra-admin';

export interface RecordedRequest {
  service: ServiceName;
  method: string;
  path: string;
  headers?: Record<string, string | null>;
  json?: unknown;
  form?: Record<string, string>;
  text?: string;
}

export interface RecordedResponse {
  status: number;
  like?: string;
  headers?: Record<string, string | string[]>;
  json?: unknown;
  list?: { length: number; first?: unknown[]; [member: string]: unknown };
  pick?: Record<string, unknown>;
  text?: string;
  textStart?: string;
  /** Header and payload of tokens in the body, by member. */
  decoded?: Record<string, { header: unknown; payload: unknown }>;
  capture?: Record<string, string>;
}

export interface RecordedExchange {
  /** A preparation: only status and captured values are compared. */
  setup?: boolean;
  /** An error of an admin API that the sandbox words differently or never sends: only tests of the proxy use it. */
  unlike?: boolean;
  repeat?: number;
  request: RecordedRequest;
  response: RecordedResponse;
}

/** A visit of a browser to the OAuth server, which follows redirects from `start` to `until`. */
export interface RecordedVisit {
  browser: { start: string; until: string; login?: Record<string, string> };
  /** The last response of the OAuth server. `location` is null if it was a page and not a redirect. */
  response: { status: number; location: string | null; text?: string };
}

type RecordedStep = RecordedExchange | RecordedVisit;

export interface RecordedCase {
  id: string;
  title: string;
  steps: RecordedStep[];
}

const read = (name: string): unknown => JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8'));

export const recordedCases = (group: string): RecordedCase[] => (read(group) as { cases: RecordedCase[] }).cases;

interface Meta {
  /** Header sets that recorded responses refer to by name. */
  like: Record<string, Record<string, string | string[]>>;
  /** The groups, by the mode that the servers ran in. */
  order: Record<string, string[]>;
}
const meta = (): Meta => read('meta') as Meta;

export const headerSets = (): Meta['like'] => meta().like;

export const recordedGroups = (): string[] => Object.values(meta().order).flat();

/** All recorded requests with their responses, without visits of a browser. */
export const recordedExchanges = (): RecordedExchange[] =>
  recordedGroups()
    .flatMap(recordedCases)
    .flatMap(({ steps }) => steps)
    .filter((step) => 'request' in step);

/** The values of a recording's placeholders in this run: `<uuid:1>`, `<opaque:2>`, `<kratos-public>`. */
export type Bindings = Map<string, string>;

const PLACEHOLDER =
  /<((?:uuid|opaque):\d+|any|time|epoch|code|port|hash|date|removed|[a-z]+(?:-[a-z]+)?(?::encoded)?)>/g;

const KINDS: Record<string, string> = {
  uuid: '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}',
  opaque: '[^\\s"<>;,&]+',
  any: '[^\\s"<>;,&]+',
  time: '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?Z',
  epoch: '\\d+',
  code: '\\d{6}',
  port: '\\d+',
  hash: '[^=;]+',
  date: '[^;]+',
  removed: '.+',
};

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** The text with its placeholders replaced. */
export function filled(text: string, bindings: Bindings, encode: (value: string) => string = (value) => value): string {
  return text.replace(PLACEHOLDER, (placeholder, name: string) => {
    const [base = '', form] = name.split(':');
    if (form === 'encoded') return encodeURIComponent(bindings.get(base) ?? placeholder);
    const value = bindings.get(name);
    return value === undefined ? placeholder : encode(value);
  });
}

/** Compares text with the recorded one, and binds new placeholders. @returns the difference, if there is one */
export function textDifference(expected: string, actual: string, bindings: Bindings): string | undefined {
  const fresh: string[] = [];
  let source = '';
  let from = 0;
  for (const match of expected.matchAll(PLACEHOLDER)) {
    const name = match[1] ?? '';
    const [base = '', form] = name.split(':');
    source += escaped(expected.slice(from, match.index));
    from = match.index + match[0].length;
    const bound = form === 'encoded' ? encodeURIComponent(bindings.get(base) ?? '') : bindings.get(name);
    if (bound !== undefined) source += escaped(bound);
    else if (KINDS[base] === undefined) source += escaped(match[0]);
    else if (form === undefined) source += `(?:${KINDS[base]})`;
    else if (fresh.includes(name)) source += `\\${fresh.indexOf(name) + 1}`;
    else {
      source += `(${KINDS[base]})`;
      fresh.push(name);
    }
  }
  source += escaped(expected.slice(from));
  const match = new RegExp(`^${source}$`, 's').exec(actual);
  if (match === null) return `expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`;
  for (const [index, name] of fresh.entries()) {
    const value = match[index + 1] ?? '';
    const equal = [...bindings].find(([other, bound]) => other.startsWith('uuid:') && bound === value);
    if (equal !== undefined && name.startsWith('uuid:')) return `${name} is the same as ${equal[0]}`;
    bindings.set(name, value);
  }
  return undefined;
}

/** All differences of a JSON value from the recorded one. */
export function jsonDifferences(expected: unknown, actual: unknown, bindings: Bindings, at = ''): string[] {
  const here = (problem: string) => [`${at || '/'}: ${problem}`];
  if (typeof expected === 'string' && typeof actual === 'string') {
    const difference = textDifference(expected, actual, bindings);
    return difference === undefined ? [] : here(difference);
  }
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length) return here(`expected ${expected.length} items, got ${actual.length}`);
    // The identifiers of a credential have no order; the recording has them sorted.
    const items = at.endsWith('/identifiers') ? [...actual].sort() : actual;
    return expected.flatMap((item, index) => jsonDifferences(item, items[index], bindings, `${at}/${index}`));
  }
  if (isRecord(expected) && isRecord(actual)) {
    const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    return [...names].flatMap((name) => {
      if (!Object.hasOwn(actual, name)) return here(`${name} is missing`);
      if (!Object.hasOwn(expected, name)) return here(`${name} is one too many`);
      return jsonDifferences(expected[name], actual[name], bindings, `${at}/${name}`);
    });
  }
  if (expected === '<epoch>' && typeof actual === 'number') return [];
  // It may differ by a second from one response of a server to the next.
  if (at.endsWith('/expires_in') && Math.abs(Number(expected) - Number(actual)) <= 2) return [];
  return expected === actual ? [] : here(`expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
