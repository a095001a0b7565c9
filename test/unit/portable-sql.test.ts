import assert from 'node:assert/strict';
import { notPortable } from '../support/portable-sql.ts';

describe('the check of SQL statements for MariaDB and MySQL', () => {
  for (const [statement, problem] of [
    ['insert into `a` (`b`) values (?) returning `b`', 'rows returned by a write'],
    ['insert into a (b) values (1) as new on duplicate key update b = new.b', 'an alias for new rows'],
    ['select 1 from a for share', 'the shared locks of MySQL'],
    ['create or replace table a (b int)', 'replaced tables'],
    ['alter table a add column if not exists b int', 'conditions on columns and indexes'],
    ["set session sql_mode = 'NO_AUTO_CREATE_USER'", 'values of sql_mode that MySQL 8 refuses'],
    ["set session tx_isolation = 'READ-COMMITTED'", 'variables that only one has'],
    ['select @@transaction_isolation', 'variables that only one has'],
    ['select updated_at as stored from a', 'a reserved word'],
  ] as const)
    it(`reports ${problem}: ${statement}`, () => assert.deepEqual(notPortable(statement), [problem]));

  for (const statement of [
    'insert into `a` (`b`) values (?) on duplicate key update `b` = values(`b`)',
    'create table if not exists a (`system` bigint not null, b mediumtext character set utf8mb4)',
    'select row_number() over (partition by b order by c), rank() over (order by b) from a for update',
    "show session variables where Variable_name in ('tx_isolation', 'utf8')",
  ])
    it(`accepts ${statement}`, () => assert.deepEqual(notPortable(statement), []));
});
