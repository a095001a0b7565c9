import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Database } from '../../server/db/database.ts';
import { isUnavailable } from '../../server/db/errors.ts';
import { type LockedAccounts, lockedAccounts } from '../../server/features/security/locked-accounts.ts';
import { ADA, auditOn, auditRecords, START } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';

const at = (minutes: number): string => new Date(START + minutes * 60_000).toISOString();

describeOnDatabases('locked accounts', (databases) => {
  const accountsOn = (database: Database): LockedAccounts =>
    lockedAccounts({ database, audit: auditOn(database, undefined, () => START).audit, now: () => START });

  const row = (identifier: string, lockedAt: number, until: number | null) => ({
    identifier,
    reason: 'wrong_password',
    attempts: 5,
    trigger_ip: '192.0.2.1',
    locked_at: at(lockedAt),
    locked_until: until === null ? null : at(until),
  });

  it('are listed, latest first, if their lock has no end or has not ended yet', async () => {
    const { database } = await databases.createMigrated();
    const rows = [
      row('over', -30, -15),
      row('over-now', -15, 0),
      row('for-ever', -60, null),
      row('for-a-while', -5, 10),
      row('for-ever-lately', -1, null),
      { ...row('без-адреса 🔑', -10, 5), trigger_ip: null },
    ];
    await database.knex('locked_accounts').insert(rows);
    const { data, total, truncated } = await accountsOn(database).list();
    const listed = ['for-ever-lately', 'for-a-while', 'без-адреса 🔑', 'for-ever'];
    assert.deepEqual(
      data,
      listed.map((identifier) => ({
        id: createHash('sha256').update(identifier).digest('base64url').slice(0, 22),
        ...rows.find((account) => account.identifier === identifier),
      })),
    );
    assert.deepEqual({ total, truncated }, { total: 4, truncated: false });
  });

  it('are unlocked by only one of several concurrent requests, with one audit record', async () => {
    const { database } = await databases.createMigrated();
    await database.knex('locked_accounts').insert([row('ada@example.com', -1, 14), row('bob@example.com', -1, null)]);
    const accounts = accountsOn(database);
    const outcomes = await Promise.all([1, 2, 3].map(() => accounts.unlock('ada@example.com', ADA, 'T-1')));
    assert.deepEqual(outcomes.toSorted(), [false, false, true]);
    const identifiers = (await accounts.list()).data.map(({ identifier }) => identifier);
    assert.deepEqual(identifiers, ['bob@example.com']);
    assert.deepEqual(await auditRecords(database), [
      {
        action: 'account_unlock',
        actor: ADA,
        target: 'ada@example.com',
        details: { lock_reason: 'wrong_password', attempts: 5, locked_until: at(14), reason: 'T-1' },
        timestamp: at(0),
      },
    ]);
  });

  it('are not unlocked by another spelling of their identifier, nor once their lock has ended', async () => {
    const { database } = await databases.createMigrated();
    await database.knex('locked_accounts').insert([row('ada@example.com', -1, 14), row('over', -30, -15)]);
    const accounts = accountsOn(database);
    for (const identifier of ['ADA@example.com', 'ada@example.com ', 'àda@example.com', 'over', '%'])
      assert.equal(await accounts.unlock(identifier, ADA), false, identifier);
    assert.equal((await database.knex('locked_accounts').select('identifier')).length, 2);
    assert.deepEqual(await auditRecords(database), []);
  });

  it('stay locked if the audit record of unlocking them cannot be stored', async () => {
    const { database } = await databases.createMigrated();
    await database.knex('locked_accounts').insert(row('ada@example.com', -1, 14));
    await database.knex.schema.renameTable('audit_log', 'renamed');
    const accounts = accountsOn(database);
    await assert.rejects(accounts.unlock('ada@example.com', ADA), isUnavailable);
    assert.equal((await accounts.list()).total, 1);
  });
});

/** The SQL of docs/connect.md on locked accounts, for this database. */
const statements = (client: 'sqlite' | 'mysql'): { create: string; select: string; insert: string } => {
  const text = readFileSync(new URL('../../docs/connect.md', import.meta.url), 'utf8');
  const section = /## Locked accounts\n([\s\S]*)/.exec(text)?.[1] ?? '';
  const blocks = [...section.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql = '']) => sql);
  const [create = '', select = '', insert = ''] = blocks;
  const of = (sql: string): string => {
    const [, mysql = '', sqlite = ''] = /-- MySQL, MariaDB\n([\s\S]*?)-- SQLite\n([\s\S]*)/.exec(sql) ?? [];
    return (client === 'mysql' ? mysql : sqlite).trim().replace(/;$/, '');
  };
  return { create: of(create), select: select.replace(/--.*/, '').trim(), insert: of(insert) };
};

describeOnDatabases('the SQL statements for login pages in docs/connect.md', (databases) => {
  it('create a table like that of the migrations, and lock accounts that the dashboard lists and unlocks', async () => {
    const { database } = await databases.createMigrated();
    const { knex } = database;
    const { create, select, insert } = statements(database.client);
    await knex.schema.renameTable('locked_accounts', 'migrated');
    await knex.raw(create);
    const columns = async (table: string): Promise<unknown> =>
      Object.entries(await knex(table).columnInfo()).map(([name, { type, maxLength, nullable }]) => ({
        name,
        type,
        maxLength,
        nullable,
      }));
    assert.deepEqual(await columns('locked_accounts'), await columns('migrated'));

    const now = Date.now();
    const time = (offset: number): string => new Date(now + offset).toISOString();
    const isLocked = async (): Promise<boolean> => {
      const response = await knex.raw(select, ['ada@example.com', time(0)]);
      return (database.client === 'mysql' ? response[0] : response).length > 0;
    };
    assert.equal(await isLocked(), false);
    const lock = (attempts: number, until: string | null): PromiseLike<unknown> =>
      knex.raw(insert, ['ada@example.com', 'wrong_password', attempts, '192.0.2.1', time(0), until as string]);
    await lock(5, time(-1));
    assert.equal(await isLocked(), false);
    await lock(6, time(900_000));
    assert.equal(await isLocked(), true);

    const accounts = lockedAccounts({ database, audit: auditOn(database).audit, now: () => now });
    const { data, total } = await accounts.list();
    assert.deepEqual([data[0]?.identifier, data[0]?.attempts, total], ['ada@example.com', 6, 1]);
    assert.equal(await accounts.unlock('ada@example.com', ADA), true);
    assert.equal(await isLocked(), false);
  });
});
