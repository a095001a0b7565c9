import assert from 'node:assert/strict';
import { type CheckedIdentity, checkFile } from '../../client/features/import-export/check-identity.ts';
import { type ColumnMapping, samplesShown } from '../../client/features/import-export/columns.ts';
import { readCsv } from '../../client/features/import-export/csv.ts';
import { HASH_COLUMN, PASSWORD_COLUMN, passwordIn } from '../../client/features/import-export/file-password.ts';
import { guessColumns } from '../../client/features/import-export/guess-columns.ts';
import { importReport, problemsReport } from '../../client/features/import-export/import-reports.ts';
import { fingerprintOf } from '../../client/features/import-export/import-run.ts';
import { inspectIdentities } from '../../client/features/import-export/inspect-identities.ts';
import { traitColumns } from '../../client/features/import-export/portable-identity.ts';
import { readNdjson } from '../../client/features/import-export/read-identities.ts';
import { type TransferFormat, textOf } from '../../client/features/import-export/transfer-file.ts';
import { asCreateBody, draftIdentity } from '../../server/sandbox/identity-service/write-identity.ts';
import { hashKindOf, isWholeHash } from '../../shared/identity-credentials.ts';
import { emptyStore, personChecker, runImportOf } from '../support/import-runs.ts';

const checker = personChecker();

async function read(
  format: TransferFormat,
  content: string | Uint8Array<ArrayBuffer>,
  mapping?: ColumnMapping,
): Promise<CheckedIdentity[]> {
  const read: CheckedIdentity[] = [];
  for await (const checked of checkFile(new Blob([content]), { format, mapping }, checker)) read.push(checked);
  return read;
}

/** Returns a file that is read in pieces of this size. */
function inPieces(bytes: Uint8Array<ArrayBuffer>, size: number): Blob {
  let start = 0;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      controller.enqueue(bytes.slice(start, start + size));
      start += size;
      if (start >= bytes.length) controller.close();
    },
  });
  return Object.assign(new Blob([bytes]), { stream: () => stream });
}

describe('a CSV file to import', () => {
  const person = { schema_id: 'person', traits: { email: 'a@b.example' } };

  for (const [title, content] of [
    ['begins with a byte order mark', '\uFEFFtraits.email\r\na@b.example\r\n'],
    ['ends its lines with carriage returns alone', 'traits.email\ra@b.example\r'],
    ['contains empty rows', 'traits.email,state\n,\n\na@b.example,\n,'],
    ['contains columns that only the store sets', 'id,created_at,traits.email\n9f42,2026,a@b.example\n'],
    ['begins with `sep=;`', 'sep=;\r\ntraits.email\r\na@b.example\r\n'],
    ['begins with the version line of a template', 'version:v1.0\ntraits.email,traits.age\na@b.example,\n'],
    ['begins with a title that contains commas', 'Staff, Ulm, 2026;;\n\ntraits.email;traits.age\na@b.example;\n;\n'],
    ['has a row with fewer cells than columns', 'traits.email,state,external_id\na@b.example\n'],
  ] as const) {
    it(`is read if it ${title}`, async () => {
      assert.deepEqual(
        (await read('csv', content)).map(({ identity, problems }) => ({ identity, problems })),
        [{ identity: person, problems: [] }],
      );
    });
  }

  it('is read with line numbers that count empty lines and line breaks within cells', async () => {
    const content = 'traits.email,metadata_public\n\n"x","two\nlines"\ny,\n';
    assert.deepEqual(
      (await read('csv', content)).map(({ line }) => line),
      [3, 5],
    );
  });

  it('is read with digits as text only if the schema requires text', async () => {
    const [found] = await read('csv', 'schema_id,traits.email,traits.zip,traits.age\nperson,a@b.example,12345,42\n');
    assert.deepEqual(found?.identity.traits, { email: 'a@b.example', zip: '12345', age: 42 });
    assert.deepEqual(found?.problems, []);
  });

  it('is read in chunks of any size', async () => {
    const row = (index: number) => `ü😀${index}@b.example,"a ""b""\r\n,c"\r\n`;
    const bytes = new TextEncoder().encode(`traits.email,traits.zip\r\n${row(0)}${row(1)}${row(2)}`);
    for (let size = 1; size < 40; size += 1) {
      const found = [];
      const file = inPieces(bytes, size);
      for await (const { line, identity, problems } of checkFile(file, { format: 'csv' }, checker))
        found.push([line, identity.traits, problems]);
      assert.deepEqual(
        found,
        [2, 4, 6].map((line, index) => [line, { email: `ü😀${index}@b.example`, zip: 'a "b"\r\n,c' }, []]),
        `pieces of ${size} bytes`,
      );
    }
  });

  for (const [title, content, message] of [
    ['has an unknown column', 'traits.email,name\nx,y\n', /The column “name” is unknown/],
    ['has the same column twice', 'traits.email,traits.email\nx,y\n', /“traits.email” appears twice/],
    ['has no column of traits', 'schema_id,state\nperson,active\n', /No column contains traits/],
    ['contains a quotation mark without an end', 'traits.email\na@b.example\n"c\ne\n', /on line 3 is never closed/],
  ] as const) {
    it(`is rejected completely if it ${title}`, async () => {
      await assert.rejects(read('csv', content), { message });
    });
  }

  it('is read in the encodings of spreadsheet programs, in chunks of any size', async () => {
    const content = `traits.email,traits.zip\r\na@b.example,Zoë € Müller é\r\n`;
    const utf16 = (little: boolean) =>
      Uint8Array.from(
        [...`\uFEFF${content}`].flatMap((letter) => {
          const [low, high] = [letter.charCodeAt(0) % 256, letter.charCodeAt(0) >> 8];
          return little ? [low, high] : [high, low];
        }),
      );
    const windows = Uint8Array.from([...content], (letter) => (letter === '€' ? 0x80 : letter.charCodeAt(0)));
    for (const bytes of [utf16(true), utf16(false), windows, new TextEncoder().encode(content)])
      for (const size of [1, 3, bytes.length]) {
        let text = '';
        for await (const piece of textOf(inPieces(bytes, size))) text += piece;
        assert.equal(text, content);
      }
    const [found] = await read('csv', windows);
    assert.deepEqual(found?.identity.traits, { email: 'a@b.example', zip: 'Zoë € Müller é' });
  });

  it('is rejected if it is an image, or contains an invalid byte after UTF-8 text', async () => {
    const broken = new Uint8Array([...new TextEncoder().encode('traits.email\nü@b.example\n'), 0xe9, 0x0a, 0x0a]);
    for (const bytes of [new TextEncoder().encode('\u0089PNG\r\n\u001a\n\u0000'), broken])
      await assert.rejects(read('csv', bytes), { message: /not text/ });
  });

  it('is read without whitespace around addresses', async () => {
    const [found] = await read('csv', 'traits.email,traits.zip\n"\u202A a@b.example\u00A0\u202C"," 7 "\n');
    assert.deepEqual(found?.identity.traits, { email: 'a@b.example', zip: ' 7 ' });
    assert.deepEqual(found?.problems, []);
  });
});

describe('an NDJSON file to import', () => {
  it('is read with a problem for each line that is not a JSON object', async () => {
    const email = { traits: { email: 'a@b.example' } };
    const lines = [JSON.stringify(email), '', 'not json', '[1]', '7', `${JSON.stringify(email)}\r`];
    const [notJson, noObject] = ['This line is not JSON.', 'This line is not a JSON object.'];
    assert.deepEqual(
      (await read('ndjson', lines.join('\n'))).map(({ line, problems }) => [line, ...problems]),
      [[1], [3, notJson], [4, noObject], [5, noObject], [6]],
    );
  });
});

describe('a row without an end', () => {
  const readers = { csv: readCsv, ndjson: readNdjson };
  /** Yields a beginning and then 10 MB of letters. A reader must stop long before the end of them. */
  async function* endless(beginning: string, pieces: { read: number }): AsyncGenerator<string> {
    yield beginning;
    for (; pieces.read < 200; pieces.read += 1) yield 'a'.repeat(50_000);
  }
  for (const [format, read] of Object.entries(readers)) {
    it(`is rejected after four megabytes, as the first row of a file or a later one: ${format.toUpperCase()}`, async () => {
      for (const [line, beginning] of [
        [1, ''],
        [2, format === 'csv' ? 'traits.email\n"' : '{}\n'],
      ] as const) {
        const pieces = { read: 0 };
        await assert.rejects(
          async () => {
            for await (const _ of read(endless(beginning, pieces), checker.columns));
          },
          { message: new RegExp(`^Line ${line} is longer than 4 MB`) },
        );
        assert.ok(pieces.read <= 81, `${pieces.read} pieces`);
      }
    });
  }
});

describe('the fingerprint of a file', () => {
  it('is the same for the same content under any name, and differs after a change of any byte', async () => {
    const big = new Uint8Array(5_000_000).fill(7);
    const fingerprintIn = (bytes: Uint8Array<ArrayBuffer>, name: string) => fingerprintOf(new File([bytes], name));
    const fingerprints = new Set([await fingerprintIn(big, 'a.csv'), await fingerprintIn(big, 'renamed.csv')]);
    for (const index of [0, 1, 4_194_303, 4_194_304, 4_999_999])
      fingerprints.add(await fingerprintIn(big.with(index, 8), 'a.csv'));
    assert.equal(fingerprints.size, 6);
  });
});

const BCRYPT = '$2b$12$abcdefghijklmnopqrstuuWxyz0123456789ABCDEFGHIJKLMNOPQ';
const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
/** Reads one row with a password, a hash or both. */
const readRow = async (password: string, hash: string): Promise<CheckedIdentity> => {
  const columns = `traits.email,${PASSWORD_COLUMN},${HASH_COLUMN}`;
  const [checked] = await read('csv', `${columns}\na@b.example,${cell(password)},${cell(hash)}\n`);
  return checked ?? assert.fail();
};

describe('a column of passwords', () => {
  const traits = traitColumns({ properties: { traits: { properties: { email: { type: 'string' } } } } });
  const guess = (header: string[], ...samples: string[][]) => guessColumns({ header, samples }, traits);

  it('is recognized by its name, and is treated as hashes if its values are hashes', () => {
    for (const name of ['password', 'Plain_Password', 'Passwort'])
      assert.deepEqual(guess([name], ['x']), [PASSWORD_COLUMN]);
    for (const name of ['hashed_password', 'passwordHash', HASH_COLUMN]) assert.deepEqual(guess([name]), [HASH_COLUMN]);
    for (const hash of [
      BCRYPT,
      '$argon2id$v=19$m=16,t=2,p=1$c2FsdA$aGFzaA',
      '$pbkdf2-sha256$i=100000,l=32$c2FsdA$aGFzaA',
      '{SSHA512}aGFzaA==',
      '$6$saltsalt$aGFzaGhhc2g',
      'pbkdf2_sha256$260000$salt$aGFzaGhhc2g=',
    ])
      assert.deepEqual(guess(['Mail', 'password'], ['a@b.example', ''], ['', hash]), ['traits.email', HASH_COLUMN]);
  });

  it('is skipped if both it and another column contain hashes, and is imported otherwise', () => {
    assert.deepEqual(guess(['password', 'hash'], [BCRYPT, BCRYPT]), [undefined, HASH_COLUMN]);
    assert.deepEqual(guess(['password', 'hash'], ['$ecret$', BCRYPT]), [PASSWORD_COLUMN, HASH_COLUMN]);
    assert.deepEqual(guess(['password', 'pwd'], [BCRYPT, 'secret']), [HASH_COLUMN, PASSWORD_COLUMN]);
  });
});

describe('passwords in a CSV file', () => {
  it('are imported verbatim as plain text or as hashes, depending on their column, and not from empty cells', async () => {
    const credentials = async (password: string, hash: string) => (await readRow(password, hash)).identity.credentials;
    for (const password of ['secret', '"quoted"', ' in spaces ', '00123', 'true', '{"a":1}'])
      assert.deepEqual(await credentials(password, ''), { password: { config: { password } } });
    assert.deepEqual(await credentials('', ` ${BCRYPT} `), { password: { config: { hashed_password: BCRYPT } } });
    for (const empty of ['', ' ']) assert.equal(await credentials(empty, empty), undefined);
  });

  it('are added to other credentials of their row, but rejected beside another password', async () => {
    const header = `traits.email,credentials,${PASSWORD_COLUMN}\n`;
    const row = (credentials: object) => `a@b.example,${cell(JSON.stringify(credentials))},secret\n`;
    const oidc = { config: { providers: [] } };
    const [joined, duplicate, invalid] = await read(
      'csv',
      `${header}${row({ oidc })}${row({ password: {} })}c@b.example,"""text""",secret\n`,
    );
    assert.deepEqual(joined?.identity.credentials, { oidc, password: { config: { password: 'secret' } } });
    assert.deepEqual(duplicate?.problems, [
      'Both the column “credentials” and the password column contain a password.',
    ]);
    assert.deepEqual(invalid?.problems, ['credentials: must be a JSON object']);
  });
});

/** Keys of 16, 32 and 64 bytes. */
const [K16, K32, K64] = [21, 42, 85].map((letters) => `${'k'.repeat(letters)}A`);

describe('a password in a file', () => {
  const both = 'password: only a password or a hash can be imported, not both';
  const itself = 'password: looks like a hash; the hash itself would become the password';
  const unknown = 'password hash: has a format that the identity service does not support';
  const crypt = 'password hash: begins with $6$; the identity service expects $sha512-crypt$';
  const cut = 'password hash: is an incomplete bcrypt hash, so nobody could sign in with it';

  for (const [title, password, hash, problem, overridable] of [
    ['has a hash beside it', 'secret', BCRYPT, both, false],
    ['looks like a hash', BCRYPT, '', itself, true],
    ['is a hash of an unknown format', '', 'd41d8cd98f00b204e9800998ecf8427e', unknown, true],
    ['is a hash of crypt(3)', '', '$6$salt$hash', crypt, true],
    ['is a truncated hash', '', BCRYPT.slice(0, -1), cut, true],
  ] as const)
    it(`is reported before the import, in CSV and NDJSON, if it ${title}`, async () => {
      const row = await readRow(password, hash);
      const config = Object.fromEntries(
        Object.entries({ password, hashed_password: hash }).filter(([, value]) => value !== ''),
      );
      const line = JSON.stringify({ traits: { email: 'a@b.example' }, credentials: { password: { config } } });
      for (const found of [row, ...(await read('ndjson', line))])
        assert.deepEqual([found.problems, found.overridable], [[problem], overridable]);
    });

  it('is an incomplete hash if Kratos cannot decode it', () => {
    for (const hashes of [
      `$2b$12$${'a'.repeat(53)} $2b$12$${'a'.repeat(52)} $2b$12$${'a'.repeat(54)} $2b$03$${'a'.repeat(53)}`,
      `$2y$10$${'a'.repeat(53)}`,
      `$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$${K32} $argon2id$v=19$m=abc$short $argon2id$v=19$m=1,t=3,p=4$c2FsdA$`,
      `$argon2i$v=19$m=16,t=2,p=1,keyid=a$c2FsdA$${K16} $argon2i$v=16$m=16,t=2,p=1$c2FsdA$${K16}`,
      `$scrypt$ln=16384,r=8,p=1$c2FsdA==$${K32}= $scrypt$ln=16,r=8,p=1$c2FsdA$${K32}`,
      `$firescrypt$ln=14,r=8,p=1$c2E=$${K64}==$Bw==$${K64}== $firescrypt$ln=14,r=8,p=1$c2E=$${K64}==`,
      `$pbkdf2-sha512$i=29000,l=64$c2FsdA$${K64} $pbkdf2-sha256$29000$c2FsdA$${K32} $pbkdf2-sha1$i=1,l=20$c2FsdA$a2V5`,
      `$md5-crypt$salt$${'a'.repeat(22)} $md5-crypt$salt$${'a'.repeat(21)}`,
      `$sha512-crypt$rounds=5000$salt$${'a'.repeat(86)} $sha512-crypt$salt$${'a'.repeat(43)}`,
      `$sha256-crypt$salt$${'a'.repeat(43)} $sha256-crypt$$`,
      `{SSHA}JFZFs0oHzxbMwkSJmYVeI8MnTDy/276a {SSHA}JFZFs0oHzxbMwkSJmYVeI8MnTDw= {SSHA512}${K32}=`,
      `$sha256$pf=e1NBTFR9$c2FsdA==$${K32}= $sha256$pf=$c2FsdA==$${K32}= $sha1$${K16}==`,
      `$md5$${K16}== $md5$${K16} $md5$d41d8cd98f00b204e9800998ecf8427e`,
      `$md5$pf=e1NBTFR9$c2FsdA==$${K16}== $md5$pf=e1NBTFR9$${K16}==`,
      `$hmac-md5$${K32}=$MTIz $hmac-sha256$${K64}==$ $hmac-sha1$${K32}$MTIz`,
    ]) {
      const whole = hashes.split(' ').filter((hash) => isWholeHash(hash, hashKindOf(hash) ?? assert.fail(hash)));
      assert.deepEqual(whole, hashes.split(' ').slice(0, 1));
    }
  });

  it('is reported among credentials that Kratos does not import, because it would reject all of the same request', async () => {
    const listed = { type: 'password', identifiers: ['a@b.example'], version: 0, created_at: '2020-03-01T10:00:00Z' };
    const withConfig = (config: object) => ({ password: { config } });
    const withLink = (link: object) => ({ oidc: { config: { providers: [link] } } });
    for (const [credentials, ...problems] of [
      [withConfig({ password: 12345 }), 'password: must be text'],
      [withConfig({ hashed_password: {} }), 'password hash: must be text'],
      [withConfig({ password: null, hashed_password: BCRYPT })],
      [withConfig({ password: '****' }), 'password: looks like a null or hidden value'],
      [{ password: listed, code: { ...listed, type: 'code' }, oidc: null }],
      [withConfig({ password: '', hashed_password: null, use_password_migration_hook: false })],
      [withConfig({ use_password_migration_hook: true })],
      [withLink({ provider: 'g', subject: '1', initial_id_token: 'x' })],
      [{ password: 'secret' }, 'credentials.password: must be a JSON object'],
      [{ totp: { config: { totp_url: 'x' } } }, 'credentials.totp.config.totp_url: cannot be imported'],
      [withLink({ id: '1' }), 'credentials.oidc.config.providers.id: cannot be imported'],
    ]) {
      const [checked] = await checker.check([{ line: 1, members: { traits: { email: 'a@b.example' }, credentials } }]);
      assert.deepEqual(checked?.problems, problems);
      if (problems.length === 0) await draftIdentity(asCreateBody(JSON.parse(JSON.stringify(checked?.identity))), '');
    }
  });

  it('never appears in samples, previews, problems or reports', async () => {
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
    const checked = () => checkFile(new Blob([file]), { format: 'csv', mapping }, checker);
    const inspection = await inspectIdentities(checked());
    const { withPassword, withHash, invalid } = inspection;
    assert.deepEqual([withPassword, withHash, invalid], [1, 1, 3]);
    const samples = rows.map(([password = '', hash = '']) => ['a@b.example', password, hash]);
    const texts = [
      ...[0, 1, 2].flatMap((index) =>
        [undefined, mapping[index]].map((mappedTo) => samplesShown({ header, samples }, index, mappedTo)),
      ),
      ...inspection.first.map(({ password, problems }) => [password, ...problems].join()),
      await (await problemsReport(checked())).text(),
      await (await importReport(checked(), [['invalid', 5]], undefined)).text(),
    ];
    const store = emptyStore();
    const { results } = await runImportOf(await read('csv', file, mapping), store);
    const all = JSON.stringify([texts, results]);
    assert.match(all, /plain text/);
    assert.match(all, /bcrypt hash/);
    assert.match(all, /a@b\.example, a@b\.example/, 'other samples are missing');
    for (const secret of secrets) assert.ok(!all.includes(secret), `${secret} in ${all}`);
    assert.deepEqual(
      store.requests.flat().map((identity) => passwordIn(identity)),
      [{ password: secrets[0] }, { hashed_password: secrets[1] }],
    );
  });
});

describe('a sample of a column in the preview', () => {
  const md5 = 'd41d8cd98f00b204e9800998ecf8427e';
  const salted = '{"k":"c2FsdHNhbHRzYWx0cw=="}';
  for (const [circumstance, name, value, mappedTo, displayed] of [
    ['it is a bcrypt hash', 'Old', BCRYPT, undefined, 'bcrypt hash'],
    ['its column is mapped to passwords', 'Old', 'secret', PASSWORD_COLUMN, 'not shown'],
    ['its column is named “User Password”', 'User Password', 'secret', undefined, 'not shown'],
    ['it is a name in a column mapped to a trait', 'Old', 'Ada', 'traits.name', 'Ada'],
    ['it consists of hexadecimal digits like a hash', 'Old', md5, undefined, 'not shown'],
    ['it is Base64 in a column without a name', '', 'c2FsdA', 'traits.zip', 'not shown'],
    ['it is a name in a column without a name', '', 'Ada', undefined, 'Ada'],
    ['it is JSON with an access token', 'identities', '[{"access_token":"x"}]', undefined, 'not shown'],
    ['it is JSON with a salt in Base64', 'key', salted, undefined, 'not shown'],
    ['it is JSON without a secret', 'plan', '{"plan":"gold"}', undefined, '{"plan":"gold"}'],
  ] as const)
    it(`is displayed as “${displayed}” if ${circumstance}`, () =>
      assert.equal(samplesShown({ header: [name], samples: [[value], ['']] }, 0, mappedTo), displayed));
});
