import type { ActEvent } from '../../server/audit/event.ts';
import { auditSearch } from '../../server/audit/search.ts';
import type { Database } from '../../server/db/database.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { migrate, openDatabase } from '../../server/db/open-database.ts';
import type { SettingsVault } from '../../server/settings/vault.ts';
import { auditOn, vaultOn, verifiedRecords } from '../support/audit-trail.ts';
import { startGalera } from '../support/cluster.ts';
import { silentLog } from '../support/context.ts';
import { startMariadb } from '../support/databases.ts';
import { median, printTable } from './rounds.ts';

type Row = Record<string, number>;

const ROUNDS = 51;
const WRITERS = 6;
const WRITE_MS = 5_000;
const PAGE = { after: '', size: 200, category: undefined, contains: undefined };

const keyOf = (index: number): string => `service.${index % 7}.setting.${String(index).padStart(7, '0')}`;

/** Fills a database with chained audit records and settings. */
async function fill(database: Database, records: number, settings: number): Promise<void> {
  await migrate(database, silentLog);
  const { audit } = auditOn(database);
  for (let from = 0; from < records; from += 1_000) {
    const events = Array.from({ length: Math.min(1_000, records - from) }, (_, index): ActEvent => {
      const actor = `operator-${(from + index) % 4}`;
      return {
        action: 'proxy_write',
        actor,
        target: `/api/identity-admin/admin/identities/${index}`,
        details: { method: 'PATCH', status: 200 },
      };
    });
    await database.transaction((trx) => audit.recordAll(events, trx));
  }
  const rows = Array.from({ length: settings }, (_, index) => ({
    key: keyOf(index),
    value: 'x'.repeat(40),
    encrypted: 0,
    category: `category ${index % 20}`,
    updated_at: '2026-01-01T00:00:00.000Z',
  }));
  for (let from = 0; from < settings; from += 500)
    await database.transaction((trx) => trx('settings').insert(rows.slice(from, from + 500)));
}

/** Writes settings concurrently through these connections. @returns rate, duration and refusals of writes */
async function writes(vaults: readonly SettingsVault[]): Promise<Row> {
  const times: number[] = [];
  let refused = 0;
  const end = performance.now() + WRITE_MS;
  const write = async (index: number): Promise<void> => {
    while (performance.now() < end) {
      const since = performance.now();
      const written = vaults[index % vaults.length]?.put({ key: `written.${index}`, value: String(since) }, 'ada');
      await written?.catch(() => {
        refused += 1;
      });
      times.push(performance.now() - since);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, index) => write(index)));
  const slowest = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
  return { 'a second': (times.length * 1000) / WRITE_MS, 'median ms': median(times), 'p99 ms': slowest, refused };
}

async function milliseconds(query: () => Promise<unknown>, rounds = ROUNDS): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const since = performance.now();
    await query();
    times.push(performance.now() - since);
  }
  return median(times);
}

async function reads(database: Database, records: number): Promise<Row> {
  const { vault, audit } = vaultOn(database);
  const search = auditSearch(database);
  const latest = database.statement('select version from revocation_version where id = 1', { mayLag: true });
  return {
    'the poll for revocations': await milliseconds(() => latest.get()),
    'a setting': await milliseconds(() => vault.get(keyOf(7))),
    'a page of settings': await milliseconds(() => vault.page(PAGE)),
    'a search that finds nothing': await milliseconds(() => vault.page({ ...PAGE, contains: 'nothing' }), 5),
    'a page of the trail': await milliseconds(() => search.page({}, 25)),
    'a page of the trail, one operator': await milliseconds(() => search.page({ actor: 'operator-1' }, 25)),
    'verifying the trail (s)':
      (await milliseconds(async () => {
        const verified = await verifiedRecords(audit);
        if (typeof verified !== 'number' || verified < records) throw new Error(`the trail is ${verified}`);
      }, 1)) / 1000,
  };
}

/** Compares a single server with a cluster of three, each with as many audit records and settings. */
export async function clusterCosts(records: number, settings: number): Promise<Record<string, Record<string, Row>>> {
  const open = (url: string): Database => openDatabase(parseDatabaseUrl(url), { warn: () => {} });
  const single = await startMariadb({ args: ['--innodb-flush-log-at-trx-commit=0'] });
  const galera = await startGalera();
  const opened: Database[] = [];
  try {
    const one = open(await single.createDatabase());
    const url = await galera.createDatabase();
    const nodes = galera.nodes.map((node) => open(node.through(url)));
    const [first] = nodes as [Database];
    opened.push(one, ...nodes);
    const vaults = (databases: readonly Database[]): SettingsVault[] =>
      databases.map((database) => vaultOn(database).vault);
    const filled: Record<string, Row> = {};
    for (const [title, database] of [
      ['one server', one],
      ['three nodes', first],
    ] as const) {
      const since = performance.now();
      await fill(database, records, settings);
      filled[title] = { seconds: (performance.now() - since) / 1000 };
    }
    const written = {
      'one server': await writes(vaults([one])),
      'three nodes, all through one': await writes(vaults([first])),
      'three nodes, through each': await writes(vaults(nodes)),
    };
    const ofOne = await reads(one, records);
    const ofCluster = await reads(nodes[1] as Database, records);
    const read = Object.fromEntries(
      Object.entries(ofOne).map(([name, time]) => [
        name,
        { 'one server': time, 'a node of three': ofCluster[name] ?? Number.NaN },
      ]),
    );
    printTable(`Filling with ${records} audit records and ${settings} settings`, filled);
    printTable(`Settings written by ${WRITERS} concurrent writers, each with its audit record`, written);
    printTable('Reads, in ms', read);
    return { filled, written, read };
  } finally {
    for (const database of opened) await database.close();
    await single.close();
    await galera.close();
  }
}
