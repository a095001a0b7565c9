import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { lockedAccounts } from '../../server/features/security/locked-accounts.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { auditOn } from '../support/vault.ts';

/** The SQL of the section on locked accounts in docs/connect.md, by the database that its comment names. */
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

describeOnDatabases('a login page with the statements of the documents', (databases) => {
  it('locks accounts that the dashboard shows and unlocks, in a table like ours', async () => {
    const { database } = await databases.migrated();
    const { knex } = database;
    const { create, select, insert } = statements(database.client);
    await knex.schema.renameTable('locked_accounts', 'ours');
    await knex.raw(create);
    const columns = async (table: string): Promise<unknown> =>
      Object.entries(await knex(table).columnInfo()).map(([name, { type, maxLength, nullable }]) => ({
        name,
        type,
        maxLength,
        nullable,
      }));
    assert.deepEqual(await columns('locked_accounts'), await columns('ours'));

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
    assert.equal(await accounts.unlock('ada@example.com', 'somebody'), true);
    assert.equal(await isLocked(), false);
  });
});
