import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  filled,
  headerSets,
  type RecordedExchange,
  type RecordedRequest,
  type RecordedResponse,
  recordedCases,
} from './contract-replay-files.ts';

/** One recorded answer, for whoever asks its recorded question again. */
export interface RecordedScene {
  group: string;
  /** Id of the case. */
  from: string;
  /** Which of the case's exchanges, preparations left out; the first by default. */
  step?: number;
  /** What its placeholders stand for: `uuid:1`. Others get a value of their own. */
  bound?: Readonly<Record<string, string>>;
  /** Names in the recording, and those of this test. */
  renamed?: Readonly<Record<string, string>>;
  /**
   * Changes what was recorded: these members of the body, in place of those that the server gave. For what real servers
   * answer too, but did not when they were recorded.
   */
  with?: Readonly<Record<string, unknown>>;
}

export interface RecordedResponses {
  /** Serves as the admin API of Kratos and of Hydra: their paths differ. */
  url: string;
  /** Answers so from now on, and no longer as before. */
  answer(scenes: readonly RecordedScene[]): void;
  /** Nothing listens any more: whoever asks is refused. */
  close(): Promise<void>;
}

/** Parameters that only say how much is asked for: the recorded lists are whole. */
const SIZES = ['page_size', 'per_page', 'page'];
const HOUR_MS = 3_600_000;

/**
 * Answers as real servers did: with the status, the headers and the body that were recorded, and values for the
 * placeholders. Items of a list are an hour apart, the first an hour ago; other records are five days old. Of scenes with
 * the same question the first answers.
 * @param port that of a server that was closed, to be back in its place; any free one without it
 */
export async function startRecordedResponses(scenes: readonly RecordedScene[], port = 0): Promise<RecordedResponses> {
  const exchangesOf = (all: readonly RecordedScene[]): RecordedExchange[] => {
    const now = Date.now();
    return all.map((scene) => exchangeOf(scene, now));
  };
  let known = exchangesOf(scenes);
  const server = createServer((req, res) => {
    const asked = new URL(req.url ?? '/', 'http://recorded');
    const found = known.find(({ request }) => isAsked(request, req.method ?? '', asked));
    if (found === undefined) {
      res.writeHead(404, { 'content-type': 'application/json' });
      res.end('{"error":{"code":404,"status":"Not Found","message":"Unable to locate the resource"}}');
      return;
    }
    const { status, like, headers, json, text } = found.response;
    for (const [name, value] of Object.entries({ ...headerSets()[like ?? ''], ...headers })) res.setHeader(name, value);
    const body = json === undefined ? (text ?? '') : JSON.stringify(itemsFor(json, asked.searchParams));
    res.writeHead(status).end(body);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer(others) {
      known = exchangesOf(others);
    },
    async close() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}

function exchangeOf(scene: RecordedScene, now: number): RecordedExchange {
  const { group, from, step = 0, bound = {}, renamed = {} } = scene;
  const steps = recordedCases(group).find(({ id }) => id === from)?.steps ?? assert.fail(`no case ${group} ${from}`);
  const exchanges = steps.filter((one): one is RecordedExchange => 'request' in one && one.setup !== true);
  const { request, response } = exchanges[step] ?? assert.fail(`no step ${step} in ${group} ${from}`);
  assert.ok(response.list === undefined && response.pick === undefined, `${group} ${from} ${step} has no whole body`);
  const json = scene.with === undefined ? response.json : { ...(response.json as object), ...scene.with };
  const bindings = new Map(Object.entries(bound));
  const words = (text: string): string =>
    Object.entries(renamed).reduce((said, [name, other]) => said.replaceAll(name, other), given(text, bindings, group));
  return {
    request: { ...request, path: words(request.path) } satisfies RecordedRequest,
    response: {
      ...response,
      ...(response.headers && { headers: mapped(response.headers, (text) => words(text)) }),
      ...(json !== undefined && { json: inTime(json, words, now) }),
    } satisfies RecordedResponse,
  };
}

/** Fills every placeholder but times. */
const given = (text: string, bindings: Map<string, string>, group: string): string =>
  filled(text, bindings)
    .replace(/<uuid:(\d+)>/g, (_, number: string) => uuidOf(group, Number(number)))
    .replace(/<(?:opaque|any):?(\d*)>/g, `${group}-$1`)
    .replace('<code>', '000000')
    .replace('<port>', '50123')
    .replace(/<(?:kratos|hydra)-(?:public|admin)>/g, 'http://upstream.example');

/** Each group begins with an empty store, so its records are not those of another. */
const uuidOf = (group: string, number: number): string =>
  `${Buffer.from(group).toString('hex').padEnd(8, '0').slice(-8)}-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** Fills in times: of an item of the list by its place, and of anything else the same one. */
function inTime(json: unknown, words: (text: string) => string, now: number): unknown {
  const at = (item: unknown, milliseconds: number): unknown =>
    mapped(item, (text, member) =>
      text === '<time>'
        ? new Date(member === 'expires_at' ? now + 24 * HOUR_MS : milliseconds).toISOString()
        : words(text),
    );
  return Array.isArray(json)
    ? json.map((item, index) => at(item, now - (index + 1) * HOUR_MS))
    : at(json, now - 5 * 24 * HOUR_MS);
}

/** The same value with each text in it replaced. */
function mapped<T>(value: T, replace: (text: string, member: string) => string, member = ''): T {
  if (typeof value === 'string') return replace(value, member) as T;
  if (Array.isArray(value)) return value.map((item) => mapped(item, replace, member)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapped(inner, replace, name)])) as T;
}

function isAsked({ method, path }: RecordedRequest, asked: string, { pathname, searchParams }: URL): boolean {
  const recorded = new URL(path, 'http://recorded');
  return (
    method === asked &&
    recorded.pathname === pathname &&
    [...recorded.searchParams].every(
      ([name, value]) => SIZES.includes(name) || searchParams.getAll(name).includes(value),
    )
  );
}

/** Of a list that was recorded whole those that are asked for: by ids, by identifier or by recipient, as Kratos answers. */
function itemsFor(json: unknown, parameters: URLSearchParams): unknown {
  if (!Array.isArray(json)) return json;
  const [ids, identifier, recipient] = [
    parameters.getAll('ids'),
    parameters.get('credentials_identifier'),
    parameters.get('recipient'),
  ];
  return json.filter(
    (item: { id?: string; recipient?: string; traits?: { email?: string } }) =>
      (ids.length === 0 || ids.includes(item.id ?? '')) &&
      (identifier === null || item.traits?.email === identifier) &&
      (recipient === null || item.recipient === recipient),
  );
}
