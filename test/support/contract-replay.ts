import { request } from 'node:http';
import {
  type Bindings,
  filled,
  type HeaderSets,
  jsonDifferences,
  type RecordedCase,
  type RecordedExchange,
  type RecordedRequest,
  type RecordedResponse,
  type RecordedWalk,
  type ServiceName,
  type Strictness,
  textDifference,
} from './contract-replay-files.ts';
import { sandboxBrowser } from './sandbox-browser.ts';

/** Headers that are compared; one of them that is not recorded was absent. The sandbox sets no CSRF cookies. */
const SELECTED = [
  'content-type',
  'cache-control',
  'link',
  'x-total-count',
  'location',
  'www-authenticate',
  'ory-error-id',
  'vary',
  'allow',
  'access-control-allow-origin',
  'access-control-allow-methods',
  'access-control-allow-headers',
  'access-control-allow-credentials',
  'deprecation',
  'retry-after',
];

interface Answered {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** The base address of each service, and of the pages beside them, without trailing slash. */
type Origins = Record<ServiceName | 'bridge', string>;

export interface Replay {
  /** Sends a case's steps in their order; every difference, in words. Errors are compared exactly in any case. */
  play(recorded: RecordedCase, strictness?: Strictness): Promise<string[]>;
}

/**
 * A replay of one group: its placeholders last from case to case.
 * @param nativeFlow stands in for the flows at `/self-service/`, by which recordings prepare
 */
export function replayOf(
  origins: Origins,
  sets: HeaderSets,
  nativeFlow: (request: RecordedRequest) => Promise<object>,
): Replay {
  const bindings: Bindings = new Map(Object.entries(origins));
  const exchange = async (step: RecordedExchange, strictness: Strictness): Promise<string[]> => {
    const { setup, repeat = 1, request: asked, response } = step;
    const differences: string[] = [];
    for (let turn = 1; turn <= repeat; turn += 1) {
      const answer =
        setup && asked.path.startsWith('/self-service/')
          ? { status: response.status, headers: {}, body: JSON.stringify(await nativeFlow(asked)) }
          : await send(origins, asked, bindings, String(turn).padStart(3, '0'));
      const found = setup
        ? prepared(response, answer, bindings)
        : compared(response, answer, sets, bindings, strictness);
      differences.push(...found.map((difference) => `${asked.service} ${asked.method} ${asked.path}: ${difference}`));
    }
    return differences;
  };
  return {
    async play({ steps }, strictness = 'exact') {
      const differences: string[] = [];
      for (const step of steps) {
        if ('browser' in step) differences.push(...(await walked(step, origins, bindings)));
        else if (!step.unlike) differences.push(...(await exchange(step, strictness)));
      }
      return differences;
    },
  };
}

/** Goes a browser's way with a new one: the first page with a form gets the login. */
async function walked({ browser, response }: RecordedWalk, origins: Origins, bindings: Bindings): Promise<string[]> {
  const visitor = sandboxBrowser();
  const page = await visitor.open(origins['hydra-public'] + filled(browser.start, bindings, encodeURIComponent));
  const asksToSignIn = browser.login !== undefined && page.body.includes('type="password"');
  const landed = asksToSignIn ? await visitor.submit(page, browser.login ?? {}) : page;
  const here = (problem: string | undefined) => (problem === undefined ? [] : [`browser at ${landed.url}: ${problem}`]);
  if (landed.status !== response.status) return here(`expected status ${response.status}, got ${landed.status}`);
  const [expected, actual] =
    response.location === null ? [response.text ?? '', landed.body] : [response.location, landed.url];
  return here(textDifference(expected, actual, bindings));
}

function send(origins: Origins, asked: RecordedRequest, bindings: Bindings, turn: string): Promise<Answered> {
  const headers: Record<string, string> = { 'user-agent': 'contract/1' };
  let body: string | undefined = asked.text;
  if (asked.json !== undefined) {
    headers['content-type'] = 'application/json';
    body = filled(JSON.stringify(asked.json), bindings).replaceAll('{n}', turn);
  } else if (asked.form !== undefined) {
    headers['content-type'] = 'application/x-www-form-urlencoded';
    const fields = Object.entries(asked.form).map(([name, value]) => [name, filled(value, bindings)]);
    body = new URLSearchParams(fields).toString();
  }
  for (const [name, value] of Object.entries(asked.headers ?? {})) {
    if (value === null) delete headers[name];
    else headers[name] = filled(value, bindings);
  }
  if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
  const { hostname, port } = new URL(origins[asked.service]);
  const path = filled(asked.path, bindings, encodeURIComponent);
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: hostname, port, method: asked.method, path, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body: Buffer.concat(chunks).toString(),
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function prepared({ status, capture = {} }: RecordedResponse, answer: Answered, bindings: Bindings): string[] {
  if (answer.status !== status) return [`expected status ${status}, got ${answer.status}: ${answer.body}`];
  for (const [pointer, placeholder] of Object.entries(capture))
    bindings.set(placeholder.slice(1, -1), String(pointed(JSON.parse(answer.body), pointer)));
  return [];
}

function compared(
  expected: RecordedResponse,
  answer: Answered,
  sets: HeaderSets,
  bindings: Bindings,
  wanted: Strictness,
): string[] {
  if (answer.status !== expected.status)
    return [`expected status ${expected.status}, got ${answer.status}: ${answer.body}`];
  const strictness = expected.status >= 400 ? 'exact' : wanted;
  return [
    ...headerDifferences(expected, answer, sets, bindings),
    ...bodyDifferences(expected, answer.body, bindings, strictness),
  ];
}

function headerDifferences(
  { like, headers }: RecordedResponse,
  answer: Answered,
  sets: HeaderSets,
  bindings: Bindings,
): string[] {
  if (like === undefined && headers === undefined) return [];
  const expected: Record<string, string | string[]> = { ...(like === undefined ? {} : sets[like]), ...headers };
  return SELECTED.flatMap((name) => {
    const wanted = [expected[name] ?? []].flat();
    const given = [answer.headers[name] ?? []].flat();
    if (wanted.length !== given.length)
      return [`${name}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(given)}`];
    return wanted.flatMap((value, index) => {
      const difference = textDifference(value, given[index] ?? '', bindings);
      return difference === undefined ? [] : [`${name}: ${difference}`];
    });
  });
}

function bodyDifferences(
  expected: RecordedResponse,
  body: string,
  bindings: Bindings,
  strictness: Strictness,
): string[] {
  if (expected.text !== undefined) return [textDifference(expected.text, body, bindings) ?? []].flat();
  if (expected.textStart !== undefined)
    return body.startsWith(expected.textStart) ? [] : [`the text begins with ${body.slice(0, 40)}`];
  if (expected.json !== undefined)
    return [
      ...jsonDifferences(expected.json, jsonOf(body), bindings, strictness),
      ...Object.entries(expected.decoded ?? {}).flatMap(([member, wanted]) =>
        jsonDifferences(wanted, decodedToken(pointed(jsonOf(body), `/${member}`)), bindings, strictness, `/${member}`),
      ),
    ];
  if (expected.list !== undefined) return listDifferences(expected.list, jsonOf(body), bindings, strictness);
  return Object.entries(expected.pick ?? {}).flatMap(([pointer, wanted]) => {
    const given = pointed(jsonOf(body), pointer);
    if (wanted === '<absent>') return given === undefined ? [] : [`${pointer} should be absent`];
    return jsonDifferences(wanted, given, bindings, strictness, pointer);
  });
}

function listDifferences(
  { length, first = [], ...members }: NonNullable<RecordedResponse['list']>,
  given: unknown,
  bindings: Bindings,
  strictness: Strictness,
): string[] {
  if (!Array.isArray(given) || given.length !== length)
    return [`expected ${length} items, got ${Array.isArray(given) ? given.length : given}`];
  const beginning = jsonDifferences(first, given.slice(0, first.length), bindings, strictness);
  const columns = Object.entries(members).flatMap(([name, wanted]) =>
    jsonDifferences(
      wanted,
      given.map((item: Record<string, unknown>) => item[name]),
      bindings,
      'exact',
      `/*/${name}`,
    ),
  );
  return [...beginning, ...columns];
}

/** Header and payload of a JWT. */
function decodedToken(token: unknown): unknown {
  const [header, payload] = String(token)
    .split('.')
    .map((part) => jsonOf(Buffer.from(part, 'base64url').toString()));
  return { header, payload };
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** The value a JSON pointer names; undefined where there is none. */
function pointed(value: unknown, pointer: string): unknown {
  let found = value;
  for (const key of pointer.split('/').slice(1))
    found =
      typeof found === 'object' && found !== null
        ? (found as Record<string, unknown>)[key.replaceAll('~1', '/')]
        : undefined;
  return found;
}
