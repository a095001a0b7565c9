import assert from 'node:assert/strict';
import type { AuditEvent, WithTimestamp } from '../../server/audit/event.ts';
import { subjectOf } from '../../server/audit/event.ts';
import {
  type AuditFilter,
  type AuditPosition,
  auditSearch,
  LAST_LOGINS,
  pageOfActionsQuery,
  pageQuery,
} from '../../server/audit/search.ts';
import type { Database } from '../../server/db/database.ts';
import { type AuditRecord, CHANGE_ACTIONS } from '../../shared/audit.ts';
import { ADA, appendMixedRecords, auditOn, BOB, PERSON, START } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';

const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString();

const FILTERS: [title: string, filter: AuditFilter][] = [
  ['no filter', {}],
  ['an action', { action: 'setting_write' }],
  ['an actor', { actor: ADA }],
  ['an actor in another case', { actor: ADA.toUpperCase() }],
  ['a subject', { subject: `identity:${PERSON}` }],
  ['an actor and a subject', { actor: 'anonymous', subject: 'client:shop' }],
  ['an action, an actor and a subject', { action: 'setting_write', actor: ADA, subject: 'setting:key.0' }],
  ['a period', { from: at(10), to: at(40) }],
  ['a period that ends before it starts', { from: at(40), to: at(10) }],
  ['changes', { changes: true }],
  ['changes of a subject by an actor', { changes: true, subject: 'client:shop', actor: BOB }],
  ['changes within a period', { changes: true, from: at(5), to: at(60) }],
  ['changes of an action that changes nothing', { changes: true, action: 'login' }],
  ['all filters', { action: 'setting_write', actor: BOB, subject: 'setting:key.3', from: at(5), to: at(60) }],
];

/** Reads the records of all pages. */
async function allPages(database: Database, filter: AuditFilter, size: number): Promise<AuditRecord[]> {
  const search = auditSearch(database);
  const records: AuditRecord[] = [];
  let next: AuditPosition | undefined;
  do {
    const slice = await search.page(filter, size, next);
    assert.ok(slice.records.length === size || slice.next === undefined);
    records.push(...slice.records);
    next = slice.next;
  } while (next !== undefined);
  return records;
}

/** The expected sequences, computed from the stored text of every record. */
async function expected(database: Database, filter: AuditFilter): Promise<number[]> {
  const rows: { sequence: number; record: string }[] = await database.knex('audit_log').select('sequence', 'record');
  return rows
    .map(({ sequence, record }) => ({ sequence, event: JSON.parse(record) as WithTimestamp<AuditEvent> }))
    .filter(
      ({ event }) =>
        (filter.action === undefined || event.action === filter.action) &&
        (filter.changes !== true || CHANGE_ACTIONS.includes(event.action)) &&
        (filter.actor === undefined ||
          filter.actor === (event.action === 'identity_search' ? event.adminId : event.actor)) &&
        (filter.subject === undefined || filter.subject === subjectOf(event)) &&
        event.timestamp >= (filter.from ?? '') &&
        event.timestamp < (filter.to ?? '~'),
    )
    .sort((a, b) =>
      a.event.timestamp === b.event.timestamp
        ? b.sequence - a.sequence
        : a.event.timestamp < b.event.timestamp
          ? 1
          : -1,
    )
    .map(({ sequence }) => sequence);
}

const FILTERED: readonly ('subject' | 'action' | 'actor')[][] = [
  [],
  ['subject'],
  ['action'],
  ['actor'],
  ['subject', 'action'],
  ['subject', 'actor'],
  ['action', 'actor'],
  ['subject', 'action', 'actor'],
];

const COMMON = { action: 'setting_write', actor: ADA, subject: 'setting:key.0' };
const RARE = { action: 'account_unlock', actor: 'nobody', subject: 'setting:key.9' };

describeOnDatabases('the search of the audit trail', (databases) => {
  it('returns each matching record once, newest first, with every filter and page size', async () => {
    const { database } = await databases.createMigrated();
    await appendMixedRecords(database, 300);
    for (const [title, filter] of FILTERS)
      for (const size of [7, 250]) {
        const records = await allPages(database, filter, size);
        assert.deepEqual(
          records.map(({ sequence }) => sequence),
          await expected(database, filter),
          `${title}, ${size} records a page`,
        );
      }
  });

  it('returns all pages of the trail as it was at the first page, although records are appended', async () => {
    const { database } = await databases.createMigrated();
    await appendMixedRecords(database, 60);
    const before = await expected(database, {});
    const search = auditSearch(database);
    const sequences: number[] = [];
    let next: AuditPosition | undefined;
    for (let appended = 60; ; appended += 9) {
      const slice = await search.page({}, 10, next);
      sequences.push(...slice.records.map(({ sequence }) => sequence));
      next = slice.next;
      if (next === undefined) break;
      // Some of these have an older time than records that have not been read yet.
      await appendMixedRecords(database, 9, appended - 40);
    }
    assert.deepEqual(sequences, before);
  });

  it('reads only the rows of one page, in the order of an index and without sorting, with every filter', async () => {
    const { database } = await databases.createMigrated();
    await appendMixedRecords(database, 400);
    if (database.client === 'mysql') await database.knex.raw('analyze table audit_log');
    for (const columns of FILTERED) {
      const index = columns.length === 0 ? 'recorded_at' : `${columns.join('_')}_at`;
      const values = columns.map((column) => ({ action: 'login', actor: ADA, subject: `identity:${PERSON}` })[column]);
      const plan = await planOf(database, pageQuery(database.client, columns), [...values, '', '~', '~', 0, 400, 26]);
      assert.match(plan, new RegExp(`\\baudit_log_${index}\\b`), columns.join());
      assert.doesNotMatch(plan, /temp|filesort/i, `${columns.join()}: ${plan}`);
      // The index returns only rows that match the filters.
      for (const column of columns)
        if (database.client === 'sqlite') assert.ok(plan.includes(`${column}=?`), plan);
        else {
          const values = columns.map((name) => (name === column ? RARE : COMMON)[name]);
          const reads = await readsOf(database, pageQuery('mysql', columns), [...values, '', '~', '~', 0, 400, 26]);
          assert.ok(reads <= 27, `${columns.join()}, a rare ${column}: ${reads} entries`);
        }
    }
  });

  it('reads a page of changes from the indexes of their actions, however many other records are newer', async () => {
    const { database } = await databases.createMigrated();
    await appendMixedRecords(database, 400);
    if (database.client === 'mysql') await database.knex.raw('analyze table audit_log');
    for (const columns of FILTERED.filter((names) => names.includes('action'))) {
      const branches = CHANGE_ACTIONS.flatMap((action) => [
        ...columns.map((column) => ({ ...COMMON, action })[column]),
        ...['', '~', '~', 0, 400, 26],
      ]);
      const sql = pageOfActionsQuery(database.client, columns, CHANGE_ACTIONS.length);
      const plan = await planOf(database, sql, [...branches, 26]);
      const indexes = plan.match(new RegExp(`\\baudit_log_${columns.join('_')}_at\\b`, 'g'));
      assert.equal(indexes?.length, CHANGE_ACTIONS.length, plan);
      if (database.client === 'sqlite') {
        for (const column of columns) assert.equal(plan.split(`${column}=?`).length, CHANGE_ACTIONS.length + 1, plan);
        continue;
      }
      const reads = await readsOf(database, sql, [...branches, 26]);
      // For each action, at most 27 entries are read from its index, written to the union and sorted; 27 rows are looked up.
      assert.ok(reads <= 27 * CHANGE_ACTIONS.length * 3 + 27, `${columns.join()}: ${reads} entries`);
    }
  });

  it('lists each operator once with the last sign-in, latest first, and reads one index entry for each', async () => {
    const { database } = await databases.createMigrated();
    let seconds = 0;
    const { audit } = auditOn(database, undefined, () => START + seconds * 1000);
    const login = (actor: string, role: string, second: number): Promise<void> => {
      seconds = second;
      return audit.record({ action: 'login', actor, target: PERSON, details: { role } });
    };
    await login('long-ago', 'admin', 0);
    await login(ADA, 'viewer', 10);
    await login(BOB, 'viewer', 20);
    await login(ADA, 'viewer', 30);
    await login(ADA, 'admin', 30);
    await audit.record({ action: 'logout', actor: 'never-in', target: PERSON });
    const search = auditSearch(database);
    const latest = await search.lastLogins(at(5), 10);
    assert.deepEqual(
      latest.map(({ actor, timestamp, details }) => [actor, timestamp, details.role]),
      [
        [ADA, at(30), 'admin'],
        [BOB, at(20), 'viewer'],
      ],
    );
    const actors = (await search.lastLogins(at(5), 1)).map(({ actor }) => actor);
    assert.deepEqual(actors, [ADA]);
    const plan = await planOf(database, LAST_LOGINS[database.client], ['', 201]);
    assert.match(plan, /audit_log_action_actor_at/);
    // SQLite skips from one actor to the next in the index, without reading all sign-ins.
    if (database.client === 'mysql') assert.match(plan, /audit_log_action_actor_at: Using where; Using index/);
    else assert.doesNotMatch(plan, /SEARCH log USING (?:COVERING )?INDEX \w+ \(action=\?\)/);
  });
});

async function planOf(database: Database, sql: string, bindings: (string | number)[]): Promise<string> {
  if (database.client === 'sqlite') {
    const rows: { detail: string }[] = await database.knex.raw(`explain query plan ${sql}`, bindings);
    return rows.map(({ detail }) => detail).join('; ');
  }
  const [rows = []]: Record<string, unknown>[][] = await database.knex.raw(`explain ${sql}`, bindings);
  return rows.map(({ key, Extra }) => `${key}: ${Extra}`).join('; ');
}

/** Counts the index entries that a query reads, including those that it discards. */
const readsOf = (database: Database, sql: string, bindings: (string | number)[]): Promise<number> =>
  database.transaction(async (trx) => {
    await trx.raw('flush status');
    await trx.raw(sql, bindings);
    const [rows = []]: { Value: string }[][] = await trx.raw(
      "show session status where Variable_name like 'Handler_read%' or Variable_name = 'Handler_icp_attempts'",
    );
    return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
  });
