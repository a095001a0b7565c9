import { type LoadResult, saturate } from './load.ts';
import type { Rounds } from './proxies.ts';
import { measured, stopAll } from './rounds.ts';
import { adminCookie, type Environment, type Subject, startOurs, startScript } from './subjects.ts';

interface Case {
  path: string;
  headers: Record<string, string>;
  status: number;
}

/** What stands in front of our own handlers, each against bare node:http that returns the same bytes. */
const CASES: Record<string, Omit<Case, 'headers'> & { signedIn: boolean }> = {
  'GET /api/health': { path: '/api/health', status: 200, signedIn: false },
  '401 without a session': { path: '/api/config', status: 401, signedIn: false },
  'GET /api/config': { path: '/api/config', status: 200, signedIn: true },
  'GET /api/settings/:key on SQLite': { path: '/api/settings/bench.setting', status: 200, signedIn: true },
};

export interface GateResult {
  ours: LoadResult;
  bare: LoadResult;
  /** Requests per second, ours by bare. */
  ratio: number;
}

export async function gate(at: Environment, rounds: Rounds): Promise<Record<string, GateResult>> {
  const ours = await startOurs(at);
  const cookie = adminCookie();
  await storeSetting(ours.url, cookie);
  const results: Record<string, GateResult> = {};
  try {
    for (const [name, { path, status, signedIn }] of Object.entries(CASES))
      results[name] = await compared(ours, { path, status, headers: signedIn ? { Cookie: cookie } : {} }, rounds);
  } finally {
    await ours.process.stop();
  }
  return results;
}

async function compared(ours: Subject, { path, status, headers }: Case, rounds: Rounds): Promise<GateResult> {
  const answer = await fetch(ours.url + path, { headers });
  if (answer.status !== status) throw new Error(`${path} answers ${answer.status}`);
  const hop = new Set(['connection', 'keep-alive', 'date']);
  const bare = await startScript('test/bench/servers/fixed-answer.ts', {
    ANSWER: JSON.stringify({
      status,
      headers: [...answer.headers].filter(([header]) => !hop.has(header)).flat(),
      body: await answer.text(),
    }),
  });
  const measure = (subject: Subject): Promise<LoadResult> =>
    saturate(subject.url + path, subject.process, { seconds: rounds.seconds, headers, expected: status });
  const results = await measured({ ours, bare }, rounds.count, measure);
  await stopAll({ bare });
  const { ours: own, bare: base } = results;
  if (own === undefined || base === undefined) throw new Error('nothing measured');
  return { ours: own, bare: base, ratio: own.requestsPerSecond / base.requestsPerSecond };
}

async function storeSetting(url: string, cookie: string): Promise<void> {
  const answer = await fetch(`${url}/api/settings`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ key: 'bench.setting', value: 'a value that is read again and again', category: 'bench' }),
  });
  if (!answer.ok) throw new Error(`the setting is not stored: ${answer.status}`);
}
