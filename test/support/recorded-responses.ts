import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { filled, headerSets, type RecordedExchange, recordedCases } from './contract-replay-files.ts';
import { listenOnLoopback } from './loopback.ts';

/** One recorded response to one recorded request. */
export interface RecordedScene {
  group: string;
  /** The id of the case. */
  caseId: string;
  /** The index of the exchange in the case, without preparations; the first by default. */
  step?: number;
  /** Values for placeholders such as `uuid:1`. Other placeholders get generated values. */
  placeholders?: Readonly<Record<string, string>>;
  /** Names in the recording, and the names that replace them. */
  names?: Readonly<Record<string, string>>;
  /** Members that replace those of the recorded body, for responses of real servers that were not recorded. */
  changes?: Readonly<Record<string, unknown>>;
}

export type RecordedResponses = Awaited<ReturnType<typeof startRecordedResponses>>;

/** Parameters for the size of a page, which are ignored because the recorded lists are complete. */
const SIZES = ['page_size', 'per_page', 'page'];
const HOUR_MS = 3_600_000;

/**
 * Serves as the admin APIs of Kratos and of Hydra, with recorded statuses, headers and bodies, and with values for the
 * placeholders. Items of a list are an hour apart, the first an hour ago; other records are five days old. Of scenes with
 * the same request, the first is used.
 * @param port of a server that was closed, to replace it; any free one by default
 */
export async function startRecordedResponses(scenes: readonly RecordedScene[], port = 0) {
  const exchangesOf = (all: readonly RecordedScene[]): RecordedExchange[] => {
    const now = Date.now();
    return all.map((scene) => exchangeOf(scene, now));
  };
  let exchanges = exchangesOf(scenes);
  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '/', 'http://recorded');
    const exchange = exchanges.find(({ request }) => isRequest(request, req.method ?? '', url));
    if (exchange === undefined) {
      res.writeHead(404, { 'content-type': 'application/json' });
      res.end('{"error":{"code":404,"status":"Not Found","message":"Unable to locate the resource"}}');
      return;
    }
    const { status, like, headers, json, text } = exchange.response;
    for (const [name, value] of Object.entries({ ...headerSets()[like ?? ''], ...headers })) res.setHeader(name, value);
    const body = json === undefined ? (text ?? '') : JSON.stringify(requestedItems(json, url.searchParams));
    res.writeHead(status).end(body);
  });
  return {
    ...(await listenOnLoopback(server, port)),
    /** Replaces all scenes. */
    replaceScenes(others: readonly RecordedScene[]): void {
      exchanges = exchangesOf(others);
    },
  };
}

function exchangeOf(scene: RecordedScene, now: number): RecordedExchange {
  const { group, caseId, step = 0, placeholders = {}, names = {} } = scene;
  const steps =
    recordedCases(group).find(({ id }) => id === caseId)?.steps ?? assert.fail(`no case ${group} ${caseId}`);
  const exchanges = steps.filter((other): other is RecordedExchange => 'request' in other && other.setup !== true);
  const { request, response } = exchanges[step] ?? assert.fail(`no step ${step} in ${group} ${caseId}`);
  assert.ok(
    response.list === undefined && response.pick === undefined,
    `${group} ${caseId} ${step} has no complete body`,
  );
  const json = scene.changes === undefined ? response.json : { ...(response.json as object), ...scene.changes };
  const bindings = new Map(Object.entries(placeholders));
  const replaced = (text: string): string =>
    Object.entries(names).reduce(
      (renaming, [name, other]) => renaming.replaceAll(name, other),
      withoutPlaceholders(text, bindings, group),
    );
  return {
    request: { ...request, path: replaced(request.path) },
    response: {
      ...response,
      ...(response.headers && { headers: mapped(response.headers, (text) => replaced(text)) }),
      ...(json !== undefined && { json: withTimes(json, replaced, now) }),
    },
  };
}

/** Replaces all placeholders except times. */
const withoutPlaceholders = (text: string, bindings: Map<string, string>, group: string): string =>
  filled(text, bindings)
    .replace(/<uuid:(\d+)>/g, (_, number: string) => uuidOf(group, Number(number)))
    .replace(/<(?:opaque|any):?(\d*)>/g, `${group}-$1`)
    .replace('<code>', '000000')
    .replace('<port>', '50123')
    .replace(/<(?:kratos|hydra)-(?:public|admin)>/g, 'http://upstream.example');

/** Different in each group, because each was recorded with an empty store and has records of its own. */
const uuidOf = (group: string, number: number): string =>
  `${Buffer.from(group).toString('hex').padEnd(8, '0').slice(-8)}-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** Replaces times by the index of an item in the list, and everything else by `replace`. */
function withTimes(json: unknown, replace: (text: string) => string, now: number): unknown {
  const at = (item: unknown, milliseconds: number): unknown =>
    mapped(item, (text, member) =>
      text === '<time>'
        ? new Date(member === 'expires_at' ? now + 24 * HOUR_MS : milliseconds).toISOString()
        : replace(text),
    );
  return Array.isArray(json)
    ? json.map((item, index) => at(item, now - (index + 1) * HOUR_MS))
    : at(json, now - 5 * 24 * HOUR_MS);
}

/** A value with each text in it replaced. */
function mapped<T>(value: T, replace: (text: string, member: string) => string, member = ''): T {
  if (typeof value === 'string') return replace(value, member) as T;
  if (Array.isArray(value)) return value.map((item) => mapped(item, replace, member)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapped(inner, replace, name)])) as T;
}

function isRequest({ method, path }: RecordedExchange['request'], actual: string, url: URL): boolean {
  const recorded = new URL(path, 'http://recorded');
  return (
    method === actual &&
    recorded.pathname === url.pathname &&
    [...recorded.searchParams].every(
      ([name, value]) => SIZES.includes(name) || url.searchParams.getAll(name).includes(value),
    )
  );
}

/** The requested items of a complete list: by ids, by identifier or by recipient, as Kratos filters. */
function requestedItems(json: unknown, parameters: URLSearchParams): unknown {
  if (!Array.isArray(json)) return json;
  const ids = parameters.getAll('ids');
  const identifier = parameters.get('credentials_identifier');
  const recipient = parameters.get('recipient');
  return json.filter(
    (item: { id?: string; recipient?: string; traits?: { email?: string } }) =>
      (ids.length === 0 || ids.includes(item.id ?? '')) &&
      (identifier === null || item.traits?.email === identifier) &&
      (recipient === null || item.recipient === recipient),
  );
}
