import assert from 'node:assert/strict';
import { actionOn } from '../../server/db/errors.ts';

describe('the advice about a database that cannot be used', () => {
  for (const [codes, advice] of [
    [
      ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ENOENT', undefined],
      'Correct the address in DATABASE_URL, or start the database.',
    ],
    [
      ['ER_CON_COUNT_ERROR', 'ER_TOO_MANY_USER_CONNECTIONS', 'ER_USER_LIMIT_REACHED'],
      'Raise max_connections, or the limit of the user, or stop other replicas.',
    ],
    [['ER_UNKNOWN_COM_ERROR'], 'Restore the cluster’s majority.'],
    [['ER_ACCOUNT_HAS_BEEN_LOCKED', 'ER_OUT_OF_RESOURCES'], 'See the log of the database server.'],
    [
      ['EACCES', 'SQLITE_CANTOPEN', 'SQLITE_NOTADB'],
      'Correct the path in DATABASE_URL, or check the file, its folder and its disk.',
    ],
  ] as const)
    for (const code of codes)
      it(`is for ${code ?? 'no response in time'}: ${advice}`, () => {
        assert.equal(actionOn(Object.assign(new Error(), code && { code })), advice);
      });
});
