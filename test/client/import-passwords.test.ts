import assert from 'node:assert/strict';
import { type CheckedIdentity, checkFile } from '../../client/features/identities/transfer/check-identity.ts';
import { type ColumnMapping, samplesShown } from '../../client/features/identities/transfer/columns.ts';
import { HASH_COLUMN, PASSWORD_COLUMN, passwordIn } from '../../client/features/identities/transfer/file-password.ts';
import { guessColumns } from '../../client/features/identities/transfer/guess-columns.ts';
import { importReport, problemsReport } from '../../client/features/identities/transfer/import-reports.ts';
import { inspectIdentities } from '../../client/features/identities/transfer/inspect-identities.ts';
import { traitColumns } from '../../client/features/identities/transfer/portable-identity.ts';
import type { TransferFormat } from '../../client/features/identities/transfer/transfer-file.ts';
import { emptyStore, importing, personChecker } from '../support/import-runs.ts';

const BCRYPT = '$2b$12$abcdefghijklmnopqrstuuWxyz0123456789ABCDEFGHIJKLMNOPQ';
const checker = personChecker();
const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;

async function read(
  content: string,
  { format = 'csv', mapping }: { format?: TransferFormat; mapping?: ColumnMapping } = {},
): Promise<CheckedIdentity[]> {
  const found = [];
  for await (const checked of checkFile(new Blob([content]), { format, mapping }, checker)) found.push(checked);
  return found;
}
/** One row with a password, a hash or both. */
const readRow = async (password: string, hash: string): Promise<CheckedIdentity> => {
  const [found] = await read(
    `traits.email,${PASSWORD_COLUMN},${HASH_COLUMN}\na@b.example,${cell(password)},${cell(hash)}\n`,
  );
  assert.ok(found);
  return found;
};

describe('a column of passwords', () => {
  const traits = traitColumns({ properties: { traits: { properties: { email: { type: 'string' } } } } });
  const guess = (header: string[], ...samples: string[][]) => guessColumns({ header, samples }, traits);

  it('is recognized by its name, or as hashes by a hash in it', () => {
    for (const name of ['password', 'Plain_Password', 'Passwort'])
      assert.deepEqual(guess([name], ['x']), [PASSWORD_COLUMN]);
    for (const name of ['hashed_password', 'passwordHash', HASH_COLUMN]) assert.deepEqual(guess([name]), [HASH_COLUMN]);
    for (const hash of [
      BCRYPT,
      '$argon2id$v=19$m=16,t=2,p=1$c2FsdA$aGFzaA',
      '$pbkdf2-sha256$i=100000,l=32$c2FsdA$aGFzaA',
      '{SSHA512}aGFzaA==',
      '$6$saltsalt$aGFzaGhhc2g',
    ])
      assert.deepEqual(guess(['Mail', 'password'], ['a@b.example', ''], ['', hash]), ['traits.email', HASH_COLUMN]);
  });

  it('is skipped if it contains hashes and there is a column of hashes, and is otherwise imported beside it', () => {
    assert.deepEqual(guess(['password', 'hash'], [BCRYPT, BCRYPT]), [undefined, HASH_COLUMN]);
    assert.deepEqual(guess(['password', 'hash'], ['$ecret$', BCRYPT]), [PASSWORD_COLUMN, HASH_COLUMN]);
    assert.deepEqual(guess(['password', 'pwd'], [BCRYPT, 'secret']), [HASH_COLUMN, PASSWORD_COLUMN]);
  });
});

describe('passwords in a CSV file', () => {
  it('become what the identity service imports: a password or a hash, or nothing for an empty cell', async () => {
    const credentials = (config: object) => ({ password: { config } });
    const shape = async (password: string, hash: string) => (await readRow(password, hash)).identity.credentials;
    assert.deepEqual(await shape('secret', ''), credentials({ password: 'secret' }));
    assert.deepEqual(await shape('', ` ${BCRYPT} `), credentials({ hashed_password: BCRYPT }));
    assert.equal(await shape('', ''), undefined);
    assert.equal(await shape(' ', ' '), undefined);
  });

  it('are imported verbatim', async () => {
    for (const password of ['"quoted"', ' in spaces ', '00123', 'true', '{"a":1}'])
      assert.deepEqual(passwordIn((await readRow(password, '')).identity), { password });
  });

  it('are added to other credentials in the row, but not to another password', async () => {
    const header = `traits.email,credentials,${PASSWORD_COLUMN}\n`;
    const row = (credentials: object) => `a@b.example,${cell(JSON.stringify(credentials))},secret\n`;
    const oidc = { config: { providers: [] } };
    const [joined, twice, odd] = await read(
      `${header}${row({ oidc })}${row({ password: {} })}c@b.example,"""text""",secret\n`,
    );
    assert.deepEqual(joined?.identity.credentials, { oidc, password: { config: { password: 'secret' } } });
    assert.deepEqual(twice?.problems, ['Both the column “credentials” and the password column contain a password.']);
    assert.deepEqual(odd?.problems, ['credentials: must be a JSON object']);
  });
});

describe('a password in a file', () => {
  const both = 'password: only a password or a hash can be imported, not both';
  const unknown = 'password hash: has a format that the identity service does not support';

  for (const [title, password, hash, problem, overridable] of [
    ['beside its hash', 'secret', BCRYPT, both, false],
    [
      'that looks like a hash',
      BCRYPT,
      '',
      'password: looks like a hash; the hash itself would become the password',
      true,
    ],
    ['as a hash of no known kind', '', 'd41d8cd98f00b204e9800998ecf8427e', unknown, true],
    [
      'as a hash of crypt(3)',
      '',
      '$6$salt$hash',
      'password hash: begins with $6$; the identity service expects $sha512-crypt$',
      true,
    ],
    [
      'as a hash that was cut off',
      '',
      BCRYPT.slice(0, -1),
      'password hash: is an incomplete bcrypt hash, so nobody could sign in with it',
      true,
    ],
  ] as const)
    it(`${title} is a problem before anything is sent, in CSV and NDJSON alike`, async () => {
      const row = await readRow(password, hash);
      const config = Object.fromEntries(
        Object.entries({ password, hashed_password: hash }).filter(([, value]) => value !== ''),
      );
      const line = JSON.stringify({ traits: { email: 'a@b.example' }, credentials: { password: { config } } });
      for (const found of [row, ...(await read(line, { format: 'ndjson' }))])
        assert.deepEqual([found.problems, found.overridable], [[problem], overridable]);
    });

  it('is a problem if it is not text: the store would reject everybody in the same request', async () => {
    const check = async (config: object): Promise<string[]> => {
      const members = { traits: { email: 'a@b.example' }, credentials: { password: { config } } };
      return (await checker.check([{ line: 1, members }])).flatMap(({ problems }) => problems);
    };
    assert.deepEqual(await check({ password: 12345 }), ['password: must be text']);
    assert.deepEqual(await check({ hashed_password: {} }), ['password hash: must be text']);
    assert.deepEqual(await check({ password: null, hashed_password: BCRYPT }), []);
    assert.deepEqual(await check({ use_password_migration_hook: true }), []);
  });

  it('never appears in samples, texts, problems or reports', async () => {
    const secrets = ['first-secret', BCRYPT, BCRYPT.slice(0, 40), '$6$saltsalt$crypt-secret', 'bare-secret'];
    const rows = [
      [secrets[0], ''],
      ['', secrets[1]],
      ['', secrets[2]],
      ['', secrets[3]],
      [secrets[4], secrets[1]],
    ];
    const content = rows.map(([password, hash], index) => `p${index}@b.example,${password},${hash}\n`).join('');
    const header = ['Mail', 'Password (old)', 'Hash'];
    const file = `${header.join(',')}\n${content}`;
    const mapping = ['traits.email', PASSWORD_COLUMN, HASH_COLUMN];
    const found = () => checkFile(new Blob([file]), { format: 'csv', mapping }, checker);
    const inspection = await inspectIdentities(found());
    const { withPassword, withHash, invalid } = inspection;
    assert.deepEqual([withPassword, withHash, invalid], [1, 1, 3]);
    const samples = rows.map(([password = '', hash = '']) => ['a@b.example', password, hash]);
    const texts = [
      ...[0, 1, 2].flatMap((index) =>
        [undefined, mapping[index]].map((becomes) => samplesShown({ header, samples }, index, becomes)),
      ),
      ...inspection.first.map(({ password, problems }) => [password, ...problems].join()),
      inspection.hint,
      await (await problemsReport(found())).text(),
      await (await importReport(found(), [['invalid', 5]], undefined)).text(),
    ];
    const store = emptyStore();
    const { results } = await importing(await read(file, { mapping }), store);
    const all = JSON.stringify([texts, results]);
    assert.match(all, /plain text/);
    assert.match(all, /bcrypt hash/);
    assert.match(all, /hashes: bcrypt \(\$2a\$\), argon2 \(\$argon2id\$\), .*, SSHA \(\{SSHA\}\)/);
    assert.match(all, /a@b\.example, a@b\.example/, 'other samples are shown');
    for (const secret of secrets) assert.ok(!all.includes(secret), `${secret} in ${all}`);
    assert.deepEqual(
      store.requests.flat().map((identity) => passwordIn(identity)),
      [{ password: secrets[0] }, { hashed_password: secrets[1] }],
    );
  });

  for (const [name, value, becomes, shown] of [
    ['Old', BCRYPT, undefined, 'bcrypt hash'],
    ['Old', 'secret', PASSWORD_COLUMN, 'not shown'],
    ['User Password', 'secret', undefined, 'not shown'],
    ['Old', 'Ada', 'traits.name', 'Ada'],
    ['Old', 'd41d8cd98f00b204e9800998ecf8427e', undefined, 'not shown'],
    ['', 'c2FsdA', 'traits.zip', 'not shown'],
    ['', 'Ada', undefined, 'Ada'],
    ['identities', '[{"access_token":"x"}]', undefined, 'not shown'],
    ['key', '{"k":"c2FsdHNhbHRzYWx0cw=="}', undefined, 'not shown'],
    ['plan', '{"plan":"gold"}', undefined, '{"plan":"gold"}'],
  ] as const)
    it(`is masked in a column called ${name} that becomes ${becomes ?? 'nothing'}: ${shown}`, () =>
      assert.equal(samplesShown({ header: [name], samples: [[value], ['']] }, 0, becomes), shown));
});
