import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Ports } from '../../server/sandbox/deployment-settings.ts';
import { listenOnAll } from '../../server/sandbox/http.ts';
import type { IdentitySchema } from '../../server/sandbox/identity-service/schemas.ts';
import { type SandboxOptions, type SandboxParts, sandboxParts } from '../../server/sandbox/parts.ts';
import { openSandboxDatabase, type SandboxDatabase } from '../../server/sandbox/sandbox-database.ts';
import { passwordSignIn } from '../../server/sandbox/sign-in.ts';
import { sandboxServices } from '../../server/sandbox/start-sandbox.ts';
import {
  type Bindings,
  filled,
  headerSets,
  jsonDifferences,
  type RecordedCase,
  type RecordedExchange,
  type RecordedRequest,
  type RecordedResponse,
  type RecordedVisit,
  recordedCases,
  recordedGroups,
  type ServiceName,
  textDifference,
} from '../support/contract-replay-files.ts';
import { sandboxBrowser } from '../support/sandbox-browser.ts';

/** Options of the servers of a group that were not started as usual. */
const OPTIONS: Record<string, Partial<SandboxOptions>> = {
  'courier-production': { redactMessages: true },
  unready: { ready: () => false },
};

/** The API between the OAuth server and a sign-in application, of which the dashboard only proxies errors. */
const PROXIED_ONLY = ['hydra-login-requests'];

/** The recorded servers were built without a version and report `master`. The sandbox reports the release. */
const withAnyVersion = (recorded: RecordedCase): RecordedCase =>
  recorded.id === 'version' ? JSON.parse(JSON.stringify(recorded).replaceAll('"master"', '"<any>"')) : recorded;

describe('the sandbox', () => {
  for (const group of recordedGroups().filter((name) => !PROXIED_ONLY.includes(name)))
    describe(`with the requests of ${group}`, () => {
      let directory: string;
      let database: SandboxDatabase;
      let listeners: Awaited<ReturnType<typeof listenOnAll<keyof Ports>>>;
      let replay: ReturnType<typeof replayOf>;

      before(async () => {
        directory = mkdtempSync(join(tmpdir(), 'sandbox-recordings-'));
        database = openSandboxDatabase(join(directory, 'sandbox.sqlite'));
        listeners = await listenOnAll({ identityPublic: 0, identityAdmin: 0, oauthPublic: 0, oauthAdmin: 0 });
        const { urls } = listeners;
        const options = { deployment: 'customer', dashboardUrl: 'http://localhost:3000', ...OPTIONS[group] } as const;
        const parts = sandboxParts(database, urls, [recordedSchema()], options);
        listeners.serve(await sandboxServices(parts));
        const origins = {
          'kratos-public': urls.identityPublic,
          'kratos-admin': urls.identityAdmin,
          'hydra-public': urls.oauthPublic,
          'hydra-admin': urls.oauthAdmin,
          bridge: urls.oauthPublic,
        };
        replay = replayOf(origins, (request) => nativeFlow(parts, request));
      });
      after(async () => {
        await listeners.close();
        database.close();
        rmSync(directory, { recursive: true });
      });

      for (const recorded of recordedCases(group).filter(({ steps }) => steps.some((step) => !('unlike' in step))))
        it(`responds as recorded in the case ${recorded.id} (${recorded.title})`, async () => {
          assert.deepEqual(await replay.play(withAnyVersion(recorded)), []);
        });
    });
});

/** The schema of the recorded servers. */
function recordedSchema(): IdentitySchema {
  const [step] = recordedCases('schemas-health').find(({ id }) => id === 'schemas')?.steps ?? [];
  assert.ok(step !== undefined && 'request' in step);
  const [schema] = step.response.json as IdentitySchema[];
  assert.ok(schema);
  return schema;
}

/**
 * Replaces Kratos' native flows, with which recordings sign in, because the sandbox has only pages.
 * @returns the members of the response's body that recordings capture
 */
async function nativeFlow(parts: SandboxParts, request: RecordedRequest): Promise<object> {
  if (request.method === 'GET') return { id: randomUUID() };
  const { identifier = '', password = '', email } = request.json as Record<string, string>;
  if (email !== undefined) {
    const form = new URLSearchParams({ email });
    assert.equal((await fetch(`${parts.issuer}/recovery`, { method: 'POST', body: form })).status, 200);
    return {};
  }
  const header = (name: string) => request.headers?.[name] ?? '';
  const device = {
    ip_address: header('x-real-ip') || header('x-forwarded-for').split(',')[0] || '127.0.0.1:50123',
    user_agent: request.headers?.['user-agent'] === undefined ? 'contract/1' : request.headers['user-agent'],
    location: [header('cf-ipcity'), header('cf-ipcountry')].filter(Boolean).join(', '),
  };
  const result = await passwordSignIn(parts)({ identifier, password, device });
  assert.equal(result.outcome, 'signed-in');
  return { session: { id: 'sessionId' in result && result.sessionId }, session_token: randomUUID() };
}

/** The compared headers. Those that are not recorded were absent. The sandbox sets no CSRF cookies. */
const COMPARED = [
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

const HEADER_SETS = headerSets();

interface ActualResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** The base address of each service and of the sign-in pages, without trailing slash. */
type Origins = Record<ServiceName | 'bridge', string>;

/**
 * A replay of one group, whose cases share their placeholders.
 * @param nativeFlow replaces the flows at `/self-service/` in the preparation of recordings
 */
function replayOf(origins: Origins, nativeFlow: (request: RecordedRequest) => Promise<object>) {
  const bindings: Bindings = new Map(Object.entries(origins));
  const exchange = async (step: RecordedExchange): Promise<string[]> => {
    const { setup, repeat = 1, request, response: expected } = step;
    const differences: string[] = [];
    for (let count = 1; count <= repeat; count += 1) {
      const actual =
        setup && request.path.startsWith('/self-service/')
          ? { status: expected.status, headers: {}, body: JSON.stringify(await nativeFlow(request)) }
          : await send(origins, request, bindings, String(count).padStart(3, '0'));
      differences.push(...(setup ? capture : responseDifferences)(expected, actual, bindings));
    }
    return differences.map((difference) => `${request.service} ${request.method} ${request.path}: ${difference}`);
  };
  return {
    /** Sends the steps of a case. @returns all differences */
    async play({ steps }: RecordedCase): Promise<string[]> {
      const differences: string[] = [];
      for (const step of steps) {
        if ('browser' in step) differences.push(...(await visit(step, origins, bindings)));
        else if (!step.unlike) differences.push(...(await exchange(step)));
      }
      return differences;
    },
  };
}

/** Repeats a visit with a new browser, which submits the login if the first page asks for it. */
async function visit({ browser, response }: RecordedVisit, origins: Origins, bindings: Bindings): Promise<string[]> {
  const visitor = sandboxBrowser();
  const first = await visitor.open(origins['hydra-public'] + filled(browser.start, bindings, encodeURIComponent));
  const isLogin = browser.login !== undefined && first.body.includes('type="password"');
  const last = isLogin ? await visitor.submit(first, browser.login ?? {}) : first;
  const here = (problem: string | undefined) => (problem === undefined ? [] : [`browser at ${last.url}: ${problem}`]);
  if (last.status !== response.status) return here(`expected status ${response.status}, got ${last.status}`);
  const [expected, actual] =
    response.location === null ? [response.text ?? '', last.body] : [response.location, last.url];
  return here(textDifference(expected, actual, bindings));
}

/** @param count replaces `{n}` in the body */
function send(origins: Origins, recorded: RecordedRequest, bindings: Bindings, count: string): Promise<ActualResponse> {
  const headers: Record<string, string> = { 'user-agent': 'contract/1' };
  let body: string | undefined = recorded.text;
  if (recorded.json !== undefined) {
    headers['content-type'] = 'application/json';
    body = filled(JSON.stringify(recorded.json), bindings).replaceAll('{n}', count);
  } else if (recorded.form !== undefined) {
    headers['content-type'] = 'application/x-www-form-urlencoded';
    const fields = Object.entries(recorded.form).map(([name, value]) => [name, filled(value, bindings)]);
    body = new URLSearchParams(fields).toString();
  }
  for (const [name, value] of Object.entries(recorded.headers ?? {})) {
    if (value === null) delete headers[name];
    else headers[name] = filled(value, bindings);
  }
  if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
  const { hostname, port } = new URL(origins[recorded.service]);
  const path = filled(recorded.path, bindings, encodeURIComponent);
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: hostname, port, method: recorded.method, path, headers }, (incoming) => {
      const { statusCode = 0, headers } = incoming;
      text(incoming).then((body) => resolve({ status: statusCode, headers, body }), reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const statusDifference = (expected: RecordedResponse, actual: ActualResponse): string[] =>
  actual.status === expected.status ? [] : [`expected status ${expected.status}, got ${actual.status}: ${actual.body}`];

function capture(expected: RecordedResponse, actual: ActualResponse, bindings: Bindings): string[] {
  const difference = statusDifference(expected, actual);
  if (difference.length > 0) return difference;
  for (const [pointer, placeholder] of Object.entries(expected.capture ?? {}))
    bindings.set(placeholder.slice(1, -1), String(valueAt(JSON.parse(actual.body), pointer)));
  return [];
}

function responseDifferences(expected: RecordedResponse, actual: ActualResponse, bindings: Bindings): string[] {
  const difference = statusDifference(expected, actual);
  if (difference.length > 0) return difference;
  return [...headerDifferences(expected, actual, bindings), ...bodyDifferences(expected, actual.body, bindings)];
}

function headerDifferences(recorded: RecordedResponse, actual: ActualResponse, bindings: Bindings): string[] {
  const { like, headers } = recorded;
  if (like === undefined && headers === undefined) return [];
  const all: Record<string, string | string[]> = { ...(like === undefined ? {} : HEADER_SETS[like]), ...headers };
  return COMPARED.flatMap((name) => {
    const expected = [all[name] ?? []].flat();
    const values = [actual.headers[name] ?? []].flat();
    if (expected.length !== values.length)
      return [`${name}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(values)}`];
    return expected.flatMap((value, index) => {
      const difference = textDifference(value, values[index] ?? '', bindings);
      return difference === undefined ? [] : [`${name}: ${difference}`];
    });
  });
}

function bodyDifferences(expected: RecordedResponse, body: string, bindings: Bindings): string[] {
  if (expected.text !== undefined) return [textDifference(expected.text, body, bindings) ?? []].flat();
  if (expected.textStart !== undefined)
    return body.startsWith(expected.textStart) ? [] : [`the text begins with ${body.slice(0, 40)}`];
  if (expected.json !== undefined)
    return [
      ...jsonDifferences(expected.json, jsonOf(body), bindings),
      ...Object.entries(expected.decoded ?? {}).flatMap(([member, token]) =>
        jsonDifferences(token, decodedToken(valueAt(jsonOf(body), `/${member}`)), bindings, `/${member}`),
      ),
    ];
  if (expected.list !== undefined) return listDifferences(expected.list, jsonOf(body), bindings);
  return Object.entries(expected.pick ?? {}).flatMap(([pointer, picked]) => {
    const actual = valueAt(jsonOf(body), pointer);
    if (picked === '<absent>') return actual === undefined ? [] : [`${pointer} should be absent`];
    return jsonDifferences(picked, actual, bindings, pointer);
  });
}

function listDifferences(
  { length, first = [], ...members }: NonNullable<RecordedResponse['list']>,
  actual: unknown,
  bindings: Bindings,
): string[] {
  if (!Array.isArray(actual) || actual.length !== length)
    return [`expected ${length} items, got ${Array.isArray(actual) ? actual.length : actual}`];
  const beginning = jsonDifferences(first, actual.slice(0, first.length), bindings);
  const columns = Object.entries(members).flatMap(([name, values]) =>
    jsonDifferences(
      values,
      actual.map((item: Record<string, unknown>) => item[name]),
      bindings,
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

/** The value at a JSON pointer, if there is one. */
const valueAt = (value: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce(
      (parent, key) => (parent as Record<string, unknown> | null | undefined)?.[key.replaceAll('~1', '/')],
      value,
    );
