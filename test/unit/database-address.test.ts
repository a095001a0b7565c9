import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
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
    ['mysql://secret:%zz@host/x', /broken percent.*: percent-encode user name and password/],
    ['mysql://host/secret%zz', /broken percent.*: percent-encode/],
    ...['secret/1', 'secret?1', 'secret#1', '1/secret', '1?secret', '1#secret', '@/secret', '1/%secret'].map(
      (password): [string, RegExp] => [`mysql://user:${password}@host/x`, /: percent-encode user name and password/],
    ),
    ['mysql://user:1/secret@host', /: percent-encode/],
  ];
  for (const [text, message] of REFUSED)
    it(`may not be ${JSON.stringify(text)}, which its error does not repeat`, () => {
      assert.throws(
        () => parseDatabaseUrl(text),
        (error: Error) => message.test(error.message) && !error.message.includes('secret'),
      );
    });

  it('is not told to be encoded where that is not what is wrong', () => {
    for (const text of ['mysql://user:p%40ss@host:port/x', 'mysql://user@host', 'postgres://user:1/2@host/x'])
      assert.throws(
        () => parseDatabaseUrl(text),
        (error: Error) => !error.message.includes('encode'),
      );
  });

  for (const document of ['README.md', 'docs/operations.md'])
    it(`holds any password that the command of ${document} has encoded`, () => {
      const text = readFileSync(fileURLToPath(new URL(`../../${document}`, import.meta.url)), 'utf8');
      const command = /^.*encodeURIComponent.*$/m.exec(text)?.[0] ?? assert.fail('no command');
      const PASSWORD = ' a/b+c=?#[]@!$&\'()*,;:%41%zz"`\\é€𝄞~';
      const options = { env: { PATH: process.env['PATH'], PASSWORD }, encoding: 'utf8' } as const;
      const url = `mysql://user:${execFileSync('sh', ['-c', command], options).trim()}@host/x`;
      assert.deepEqual(parseDatabaseUrl(url), { client: 'mysql', url });
      assert.equal(decodeURIComponent(new URL(url).password), PASSWORD);
    });
});
