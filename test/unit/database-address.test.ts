import assert from 'node:assert/strict';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';

describe('a database address', () => {
  for (const path of ['./data/x.sqlite', '/var/lib/x.sqlite', 'x', 'with space.db', 'C:\\x.db'])
    it(`may be the file ${path}`, () => {
      assert.deepEqual(parseDatabaseUrl(`sqlite:${path}`), { client: 'sqlite', path });
    });

  for (const url of [
    'mysql://user:pass@db.example/dashboard',
    'mysql://user:p%40ss@db.example:3307/dashboard?ssl={}',
    'mysql://root@localhost/dashboard?socketPath=%2Frun%2Fmysqld.sock',
    'mysql://[::1]/dashboard',
  ])
    it(`may be the server ${url}`, () => {
      assert.deepEqual(parseDatabaseUrl(url), { client: 'mysql', url });
    });

  const REFUSED: [string, RegExp][] = [
    ['', /must begin/],
    ['./data/secret.sqlite', /must begin/],
    ['postgres://secret@db/x', /must begin/],
    ['mysql:secret', /must begin/],
    ['MYSQL://secret@db/x', /must begin/],
    ['sqlite:', /names no file/],
    ['sqlite:///secret.sqlite', /without slashes/],
    ['sqlite::memory:', /not a database in memory/],
    ['sqlite:file:secret?mode=memory', /not a database in memory/],
    ['sqlite:secret/', /not a directory/],
    ['sqlite:secret\0', /NUL/],
    ['mysql://secret@host:port/x', /not a valid/],
    ['mysql:///secret', /no database host/],
    ['mysql://secret@host', /names no database/],
    ['mysql://secret@host/', /names no database/],
    ['mysql://secret@host/a/b', /one database/],
    ['mysql://secret:%zz@host/x', /broken percent/],
  ];
  for (const [text, message] of REFUSED)
    it(`may not be ${JSON.stringify(text)}, which its error does not repeat`, () => {
      assert.throws(
        () => parseDatabaseUrl(text),
        (error: Error) => message.test(error.message) && !error.message.includes('secret'),
      );
    });
});
