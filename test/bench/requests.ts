import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadOptions, saturate } from './load.ts';
import { type Comparison, measured, type Rounds, stopAll } from './rounds.ts';
import { adminCookie, type Environment, type Subject, startLibrary, startOurs, startScript } from './subjects.ts';

interface Case {
  path: string;
  status: number;
  /** Sent with the session cookie of an administrator. */
  signedIn?: true;
  /** Sent through the proxy of the identities' admin API. `path` is that of the upstream. */
  proxied?: true;
  /** A body to POST. */
  body?: string;
}

/** How long a started server takes to become idle. */
const IDLE_MS = 3_000;

const CASES: Record<string, Case> = {
  'GET /api/health': { path: '/api/health', status: 200 },
  '401 without a session': { path: '/api/config', status: 401 },
  'GET /api/config': { path: '/api/config', status: 200, signedIn: true },
  'GET /api/settings/:key on SQLite': { path: '/api/settings/bench.setting', status: 200, signedIn: true },
  'proxied GET, small JSON': { path: '/small', status: 200, proxied: true },
  'proxied POST of 2 KB': { path: '/sink', status: 204, proxied: true, body: 'x'.repeat(2_048) },
};

/** The costs of one request for this checkout, for the other one, and for the reference. */
type RequestCosts = Record<string, Comparison>;

/** Resident megabytes of a server before any load, and after all of it. */
interface Memory {
  idle: number;
  loaded: number;
}

/**
 * Saturates the subjects of each case in turn: this checkout, the one of `against`, and as a reference bare node:http
 * with the same response or, for the proxies, the library in plain Express.
 * @param against the root of a checkout with its packages installed
 */
export async function requestCosts(
  at: Environment,
  rounds: Rounds,
  against: string | undefined,
): Promise<{ costs: Record<string, RequestCosts>; memory: Record<string, Memory> }> {
  const ours = await startOurs(at);
  const before = against === undefined ? undefined : await startOurs(at, against);
  const own = { ours, ...(before && { before }) };
  const cookie = adminCookie();
  for (const { url } of Object.values(own)) await storeSetting(url, cookie);
  const costs: Record<string, RequestCosts> = {};
  await sleep(IDLE_MS);
  const idle = Object.entries(own).map(([name, { process }]) => [name, process.residentBytes()] as const);
  try {
    for (const [name, of] of Object.entries(CASES)) {
      const measure: Record<string, Subject> = of.proxied
        ? { library: await startLibrary(at) }
        : { bare: await bareOf(ours, of, cookie) };
      const options = { ...rounds, ...loadOf(of, at, cookie) };
      costs[name] = await measured({ ...own, ...measure }, rounds.count, (subject) =>
        saturate(of.proxied ? subject.through(of.path) : subject.url + of.path, subject.process, options),
      );
      await stopAll(measure);
    }
    const megabytes = (bytes: number): number => bytes / 1e6;
    const loaded = new Map(Object.entries(own).map(([name, { process }]) => [name, process.residentBytes()]));
    const memory = idle.map(([name, bytes]) => [
      name,
      { idle: megabytes(bytes), loaded: megabytes(loaded.get(name) ?? Number.NaN) },
    ]);
    return { costs, memory: Object.fromEntries(memory) };
  } finally {
    await stopAll(own);
  }
}

function loadOf({ status, signedIn, body }: Case, { directory }: Environment, cookie: string): LoadOptions {
  const headers: Record<string, string> = signedIn ? { Cookie: cookie } : {};
  if (body === undefined) return { headers, expected: status };
  const script = join(directory, 'post.lua');
  writeFileSync(
    script,
    `wrk.method = "POST"\nwrk.body = "${body}"\nwrk.headers["Content-Type"] = "application/json"\n`,
  );
  return { headers, expected: status, script };
}

/** Bare node:http with the same response as ours. */
async function bareOf(ours: Subject, { path, status, signedIn }: Case, cookie: string): Promise<Subject> {
  const response = await fetch(ours.url + path, { headers: signedIn ? { cookie } : {} });
  if (response.status !== status) throw new Error(`${path}: ${response.status}`);
  const hop = new Set(['connection', 'keep-alive', 'date']);
  const headers = [...response.headers].filter(([header]) => !hop.has(header)).flat();
  const RESPONSE = JSON.stringify({ status, headers, body: await response.text() });
  return startScript('test/bench/servers/fixed-response.ts', { RESPONSE });
}

async function storeSetting(url: string, cookie: string): Promise<void> {
  const response = await fetch(`${url}/api/settings`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ key: 'bench.setting', value: 'a value that is read again and again', category: 'bench' }),
  });
  if (!response.ok) throw new Error(`the setting is not stored: ${response.status}`);
}
