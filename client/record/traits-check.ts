import {
  attempt,
  identifierIn,
  isObject,
  type JsonSchema,
  keysOf,
  membersOf,
  traitsIn,
  whole,
} from '../../shared/json.ts';
import { pointerTo } from '../lib/json.ts';
import { capitalised, withoutBlanks } from '../lib/visible-text.ts';
import type { Problems } from './record-form.tsx';
import type { Objection } from './schema-check.ts';
import type { CheckRequest } from './schema-check-worker.ts';

/** Checks traits, given as JSON texts, against a schema. @returns one result per text, in order */
export type TraitsCheck = (schema: JsonSchema, traits: readonly string[]) => Promise<CheckResult[]>;
/** Schema violations; undefined if this browser could not check the traits, which is not a violation. */
export type CheckResult = Objection[] | undefined;

/** The subset of `Worker` used here, so that tests can replace the worker. The first message must be `ready`. */
export type CheckWorker = Pick<Worker, 'postMessage' | 'terminate' | 'onmessage' | 'onerror'>;

/** Enough for one identity on a busy machine. If a batch times out, its identities are checked individually. */
const CHECK_MS = 1_000;
const START_MS = 10_000;
/** After this many timeouts within a minute, checks against the same schema are skipped. */
const TIMEOUTS_MAX = 3;
const TIMEOUTS_WINDOW_MS = 60_000;

/**
 * Checks traits in a worker, which is terminated and replaced if it does not respond in time.
 * @param limits.checkMs time limit for one identity or one batch
 * @param limits.now monotonic clock in milliseconds
 */
export function traitsCheck(
  start: () => CheckWorker,
  { checkMs = CHECK_MS, now = () => performance.now() }: { checkMs?: number; now?: () => number } = {},
): TraitsCheck {
  let worker: Promise<CheckWorker | undefined> | undefined;
  const timeouts = new Map<string, number[]>();

  async function results(request: CheckRequest): Promise<CheckResult[] | 'late'> {
    worker ??= workerStarted(start).catch(() => undefined);
    const running = await worker;
    const next = running && nextMessage(running, checkMs);
    running?.postMessage(request);
    const response = await next;
    if (Array.isArray(response)) return response;
    worker = undefined;
    return response === 'late' ? 'late' : request.traits.map(() => undefined);
  }

  async function check({ schema, traits }: CheckRequest): Promise<CheckResult[]> {
    const recent = (timeouts.get(schema) ?? []).filter((at) => now() - at < TIMEOUTS_WINDOW_MS);
    if (recent.length >= TIMEOUTS_MAX) return traits.map(() => undefined);
    const together = await results({ schema, traits });
    if (together !== 'late') return together;
    if (traits.length === 1) {
      timeouts.set(schema, [...recent, now()]);
      return [undefined];
    }
    const found: CheckResult[] = [];
    for (const one of traits) found.push(...(await check({ schema, traits: [one] })));
    return found;
  }

  let last: Promise<unknown> = Promise.resolve();
  return (schema, traits) => {
    const result = last.then(() => check({ schema: JSON.stringify(schema), traits }));
    last = result;
    return result;
  };
}

export const checkTraits = traitsCheck(
  () => new Worker(new URL('./schema-check-worker.ts', import.meta.url), { type: 'module' }),
);

/** Resolves to undefined if the worker fails to start. */
async function workerStarted(start: () => CheckWorker): Promise<CheckWorker | undefined> {
  const worker = start();
  return (await nextMessage(worker, START_MS)) === 'ready' ? worker : undefined;
}

/** Waits for the next message. Terminates a worker that times out or fails. */
function nextMessage(worker: CheckWorker, ms: number): Promise<CheckResult[] | 'ready' | 'late' | 'failed'> {
  return new Promise((resolve) => {
    const end = (outcome: 'late' | 'failed'): void => {
      clearTimeout(deadline);
      worker.terminate();
      resolve(outcome);
    };
    const deadline = setTimeout(end, ms, 'late');
    worker.onerror = () => end('failed');
    worker.onmessage = ({ data }: MessageEvent<CheckResult[] | 'ready'>) => {
      clearTimeout(deadline);
      resolve(data);
    };
  });
}

/**
 * Trims identifiers, addresses and texts with a format: Kratos treats an address with a space as a different address.
 * @param schema the schema of the whole identity
 */
export const trimmedTraits = (traits: unknown, schema: JsonSchema): unknown =>
  trimmed(traits, traitsIn(schema), schema);

function trimmed(value: unknown, schema: unknown, root: JsonSchema): unknown {
  const { format, items, properties, 'ory.sh/kratos': extension } = whole(schema, root, value);
  if (typeof value === 'string') return format !== undefined || isObject(extension) ? withoutBlanks(value) : value;
  if (Array.isArray(value)) return value.map((item) => trimmed(item, items, root));
  if (!isObject(value) || !isObject(properties)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, trimmed(member, properties[name], root)]),
  );
}

const REASON = /I\[#([^\]]*)\] S\[[^\]]*\] ((?:(?!\s*I\[#)[\s\S])+)/g;

/**
 * Parses a Kratos error for traits: one `I[#/traits/bar] S[#/…] expected string, but got number` per line.
 * Undefined if the message has another format.
 */
export function problemsIn(message: string): Problems | undefined {
  const problems: Record<string, string> = {};
  for (const [, encoded = '', text = ''] of message.matchAll(REASON)) {
    const pointer = attempt(() => decodeURIComponent(encoded)) ?? encoded;
    const missing = /^missing properties: (.+)$/.exec(text.trim())?.[1];
    if (missing !== undefined) {
      for (const [, name = ''] of missing.matchAll(/"([^"]+)"/g)) problems[`${pointer}/${name}`] = 'This is required.';
    } else if (!/^(?:validation failed|doesn't validate with)\b/.test(text)) {
      problems[pointer] = capitalised(text.trim());
    }
  }
  return Object.keys(problems).length === 0 ? undefined : problems;
}

/** Replaces Kratos' pointers into traits and schema by the names of columns. */
export function reasonInWords(reason: string): string {
  const problems = Object.entries(problemsIn(reason) ?? {});
  if (problems.length === 0) return reason;
  return problems.map(([pointer, text]) => `${keysOf(pointer).join('.')}: ${text}`).join('; ');
}

/** The login identifiers of an identity with their JSON pointers, as marked by the Kratos schema extension. */
export function identifiersIn(
  value: unknown,
  schema: unknown,
  root: JsonSchema,
  pointer = '/traits',
): [pointer: string, identifier: string][] {
  const here = whole(schema, root);
  if (isObject(value))
    return Object.entries(value).flatMap(([key, member]) =>
      identifiersIn(member, membersOf(here.properties)[key], root, pointerTo(pointer, key)),
    );
  if (Array.isArray(value))
    return value.flatMap((item, index) => identifiersIn(item, here.items, root, pointerTo(pointer, index)));
  return typeof value === 'string' && value !== '' && identifierIn(here).length > 0 ? [[pointer, value]] : [];
}
