import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { auditSearch } from '../../server/audit/search.ts';
import { migrate, openDatabase } from '../../server/db/open-database.ts';
import { indexLocation } from '../../server/search-index/file.ts';
import type { Order, PeopleQuery } from '../../server/search-index/full-text.ts';
import { identityIndex } from '../../server/search-index/index.ts';
import type { IndexSources } from '../../server/search-index/sources.ts';
import { PLENTY, silentLog } from '../support/context.ts';
import { printTable } from './table.ts';

const ROUNDS = 41;
const DAY_MS = 86_400_000;
const GIVEN = ['Ada', 'Bjørn', 'Chiara', 'Dmitri', 'Élodie', 'Fatima', 'Grażyna', 'Hiro'];
const FAMILY = ['Lindqvist', 'Nakamura', 'Okafor', 'Petrov', 'Quartermain', 'Rossi', 'Schäfer', 'Tanaka'];

/** Deterministic, and as unordered as Kratos' ids. */
const scattered = (number: number): string =>
  Math.imul(number, 0x9e3779b1).toString(16).replace('-', '').padStart(8, '0');

function personOf(number: number, now: number): object {
  const [given, family] = [GIVEN[number % 8], FAMILY[(number >> 3) % 8]];
  const created = new Date(now - ((number * 7_919) % (900 * DAY_MS))).toISOString();
  const email = `${given}.${family}.${number.toString(36)}@example.${number % 3 === 0 ? 'org' : 'com'}`.toLowerCase();
  return {
    id: `${number.toString(16).padStart(8, '0')}-${scattered(number).slice(0, 4)}-4000-8000-00000000${scattered(number).slice(4)}`,
    schema_id: number % 5 === 0 ? 'partner' : 'customer',
    state: number % 16 === 0 ? 'inactive' : 'active',
    traits: { email, name: `${given} ${family}`, phone: `+47${number.toString().padStart(8, '0')}` },
    verifiable_addresses: [{ value: email, verified: number % 7 !== 0 }],
    recovery_addresses: [{ value: email }],
    created_at: created,
    updated_at: created,
  };
}

/** Pages as the store sends them, made when they are asked for. */
function sourcesOf(people: number, now: number): IndexSources {
  return {
    async page(kind, size, token) {
      if (kind !== 'people') return { text: '[]', bytes: 2, nextPageToken: undefined };
      const from = Number(token ?? 0);
      const rows = Array.from({ length: Math.min(size, people - from) }, (_, at) => personOf(from + at, now));
      const text = JSON.stringify(rows);
      const end = from + rows.length;
      return { text, bytes: text.length, nextPageToken: end < people ? String(end) : undefined };
    },
    byId: async () => '[]',
    marks: async () => ({}),
    newestMessages: async () => '[]',
    byIdentifier: async () => '[]',
    placesOf: async (addresses) => addresses.map(() => undefined),
  };
}

const questionsAt = (now: number): Record<string, PeopleQuery> => ({
  'one person by a middle part': { words: ['ermain.zz'] },
  'a family name that an eighth has': { words: ['quartermain'] },
  'a domain that two thirds have': { words: ['example.com'] },
  'inactive, created in 7 days': { active: false, created: { from: now - 7 * DAY_MS } },
  'no session known': { lastSession: 'none' },
});
const NEWEST: Order = { by: 'created', descending: true };

/** The index in a file: what it takes to build, to hold and to ask, and how long the main thread stands still. */
export async function indexGrowth(people: number): Promise<Record<string, Record<string, number>>> {
  const folder = await mkdtemp(join(tmpdir(), 'index-bench-'));
  const database = openDatabase({ client: 'sqlite', path: join(folder, 'own.sqlite') }, silentLog);
  await migrate(database, silentLog);
  const now = Date.now();
  const path = join(folder, 'people.index');
  const index = identityIndex({
    database,
    sources: sourcesOf(people, now),
    trail: auditSearch(database),
    store: 'identity-admin',
    location: indexLocation({
      where: { file: path },
      maxMegabytes: 4_096,
      owner: { store: 'bench', deployment: 'customer' },
      database: undefined,
      port: 1,
      memory: PLENTY,
    }),
    now: () => now,
    monotonic: () => performance.now(),
    log: silentLog,
    // The store's own time is not measured: as fast as the index takes it.
    pace: { firstPause: 0 },
  });
  const rows: Record<string, Record<string, number>> = {};
  try {
    await index.start();
    const since = performance.now();
    while (!(await index.numbers().catch(() => undefined))?.people?.complete)
      await new Promise((resolve) => setTimeout(resolve, 250));
    const seconds = (performance.now() - since) / 1000;
    rows['building it'] = { seconds, 'people/s': people / seconds, 'bytes/person': (await stat(path)).size / people };

    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    for (const [name, query] of Object.entries(questionsAt(now))) {
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const begun = performance.now();
        await index.searchPeople('bench', query, NEWEST, 25, undefined);
        times.push(performance.now() - begun);
      }
      times.sort((a, b) => a - b);
      const { total } = (await index.searchPeople('bench', query, NEWEST, 25, undefined)).value;
      rows[name] = { matches: total ?? Number.NaN, 'p50 ms': times.at(ROUNDS / 2) ?? 0, 'p95 ms': times.at(-3) ?? 0 };
    }
    // Numbers are kept for a while, but not over a change.
    index.removed('people', []);
    await index.countPeople('bench', {});
    const begun = performance.now();
    await index.numbers();
    rows['the numbers of the overview'] = { 'p50 ms': performance.now() - begun };
    rows['main thread while asked'] = { 'p95 ms': delay.percentile(95) / 1e6, 'longest ms': delay.max / 1e6 };
  } finally {
    await index.stop();
    await database.close();
    await rm(folder, { recursive: true });
  }
  printTable(`An index of ${people} people in a file`, rows);
  return rows;
}
