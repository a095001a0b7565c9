import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ActEvent, Timed } from '../../server/audit/event.ts';
import { subjectOf } from '../../server/audit/event.ts';
import { type AuditFilter, type AuditPosition, auditSearch } from '../../server/audit/search.ts';
import type { Database } from '../../server/db/database.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { migrate, openDatabase } from '../../server/db/open-database.ts';
import { silentLog } from '../support/context.ts';
import { startMariadb } from '../support/mariadb-server.ts';
import { type Figures, ratios } from './ratios.ts';

const FEW = 1_000;
const PAGE = 25;
const BEGIN = Date.UTC(2026, 0, 1);
/** Half a minute between records: a million in a year. */
const STEP_MS = 30_000;

const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const timeOf = (index: number): string => new Date(BEGIN + index * STEP_MS).toISOString();

/**
 * Events by four operators, on two identities and on one setting that a program keeps writing: so few that a thousand
 * records fill a page of each.
 */
function eventOf(index: number): Timed<ActEvent> {
  const actor = uuid(index % 4);
  const timestamp = timeOf(index);
  if (index % 3 === 0) return { action: 'setting_write', actor, target: 'hot', timestamp };
  if (index % 3 === 1) return { action: 'login', actor, target: uuid(index), timestamp };
  const target = `/api/identity-admin/admin/identities/${uuid(Math.floor(index / 12) % 2)}`;
  return { action: 'proxy_write', actor, target, details: { method: 'PATCH', status: 200 }, timestamp };
}

/** Inserts the first thousand, then copies them within the database with later times. */
async function fill({ knex, client }: Database, records: number): Promise<void> {
  const rows = Array.from({ length: FEW }, (_, index) => {
    const event = eventOf(index);
    const tag = createHash('sha256').update(String(index)).digest('base64url');
    const { action, actor, timestamp: recorded_at } = event;
    const chained = { sequence: index + 1, key_id: 'bench', previous_tag: tag, tag };
    return { ...chained, record: JSON.stringify(event), action, actor, recorded_at, subject: subjectOf(event) ?? '' };
  });
  for (let from = 0; from < FEW; from += 100) await knex('audit_log').insert(rows.slice(from, from + 100));
  const second = `${BEGIN / 1000} + (sequence + ? - 1) * ${STEP_MS / 1000}`;
  const time =
    client === 'sqlite'
      ? `strftime('%Y-%m-%dT%H:%M:%S.000Z', ${second}, 'unixepoch')`
      : `date_format(from_unixtime(${second}), '%Y-%m-%dT%H:%i:%s.000Z')`;
  for (let have = FEW; have < records; have += Math.min(have, records - have))
    await knex.raw(
      `insert into audit_log (sequence, key_id, previous_tag, tag, record, action, actor, recorded_at, subject)
       select sequence + ?, key_id, previous_tag, tag, record, action, actor, ${time}, subject
       from audit_log where sequence <= ?`,
      [have, have, Math.min(have, records - have)],
    );
  // Rare: ten of a thousand and of a million.
  const rare = Array.from({ length: 10 }, (_, index) => Math.floor((index * records) / 10 / 3) * 3 + 1);
  await knex('audit_log').whereIn('sequence', rare).update({ action: 'setting_delete', subject: 'setting:hot' });
  await knex('audit_head').update({ sequence: records, tag: '' });
  if (client === 'mysql') await knex.raw('analyze table audit_log');
}

/** The queries: filters, each also from half-way through the trail. */
function questions(records: number): Record<string, { filter: AuditFilter; after?: AuditPosition }> {
  const half = Math.floor(records / 2);
  const deep: AuditPosition = { timestamp: timeOf(half), sequence: half, head: records };
  const actor = uuid(1);
  const subject = `identity:${uuid(1)}`;
  return {
    'no filter': { filter: {} },
    'no filter, deep': { filter: {}, after: deep },
    action: { filter: { action: 'login' } },
    'action, deep': { filter: { action: 'login' }, after: deep },
    actor: { filter: { actor } },
    'actor, deep': { filter: { actor }, after: deep },
    subject: { filter: { subject } },
    'subject, deep': { filter: { subject }, after: deep },
    'action and actor': { filter: { action: 'proxy_write', actor } },
    'action and subject': { filter: { action: 'proxy_write', subject } },
    'actor and subject': { filter: { actor, subject } },
    'all three': { filter: { action: 'proxy_write', actor, subject } },
    'a range of time': { filter: { from: timeOf(half - 200), to: timeOf(half) } },
    'action in a range': { filter: { action: 'login', from: timeOf(half - 200), to: timeOf(half) } },
    'no record (actor)': { filter: { actor: 'nobody' } },
    'a rare action': { filter: { action: 'setting_delete' } },
    'a rare action on a busy subject': { filter: { action: 'setting_delete', subject: 'setting:hot' } },
    'a stranger on a busy subject': { filter: { actor: 'nobody', subject: 'setting:hot' } },
  };
}

function compare(title: string, few: Database, many: Database, records: number): Promise<Figures> {
  const [ofFew, ofMany] = [auditSearch(few), auditSearch(many)];
  const among = questions(records);
  return ratios(
    title,
    FEW,
    records,
    Object.fromEntries(
      Object.entries(questions(FEW)).map(([name, { filter, after }]) => [
        name,
        [
          () => ofFew.page(filter, PAGE, after),
          () => ofMany.page(among[name]?.filter ?? {}, PAGE, among[name]?.after),
        ] as const,
      ]),
    ),
  );
}

async function filled(url: string, records: number): Promise<Database> {
  const database = openDatabase(parseDatabaseUrl(url), { warn: () => {} });
  await migrate(database, silentLog);
  const since = performance.now();
  await fill(database, records);
  process.stderr.write(
    `${database.client}: ${records} records in ${Math.round((performance.now() - since) / 1000)} s\n`,
  );
  return database;
}

/**
 * What a page of the audit trail takes among so many records and among a thousand, by every filter, at the beginning and
 * far behind, on both databases: microseconds, and their ratio. The records are made up and do not verify.
 */
export async function auditGrowth(records: number): Promise<Record<string, Figures>> {
  const directory = await mkdtemp(join(tmpdir(), 'audit-records-'));
  const server = await startMariadb({
    args: ['--innodb-flush-log-at-trx-commit=0', '--innodb-buffer-pool-size=1G', '--innodb-log-file-size=256M'],
  });
  const results: Record<string, Figures> = {};
  try {
    const sides: [title: string, url: (name: string) => Promise<string>][] = [
      ['SQLite', async (name) => `sqlite:${join(directory, name)}`],
      ['MariaDB', () => server.createDatabase()],
    ];
    for (const [title, url] of sides) {
      const [few, many] = [await filled(await url('few'), FEW), await filled(await url('many'), records)];
      results[title] = await compare(`A page of the audit trail on ${title}`, few, many, records);
      await few.close();
      await many.close();
    }
    return results;
  } finally {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  }
}
