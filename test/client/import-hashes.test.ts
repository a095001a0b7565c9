import assert from 'node:assert/strict';
import { createImportSession } from '../../client/features/identities/transfer/import-session.ts';
import { hashKindOf, isWholeHash } from '../../shared/identity-credentials.ts';
import { appOfSuite } from '../support/app-in-dom.tsx';
import { chooseFileToImport, fieldValue, waitForText } from '../support/identity-dom.ts';
import { checkWithoutWorker, type Identity, PERSON } from '../support/import-runs.ts';

/** Keys of 16, 32 and 64 bytes. */
const [K16 = '', K32 = '', K64 = ''] = [
  'k'.repeat(21).concat('A'),
  'k'.repeat(42).concat('A'),
  'k'.repeat(85).concat('A'),
];

describe('a password hash', () => {
  it('is complete if Kratos can decode it', () => {
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
});

describe('passwords that look like hashes', () => {
  /** Imports people with these passwords. @returns how many were sent with and without one, and the problems */
  async function imported(content: string, name: string, salt: boolean) {
    const sent: Identity[] = [];
    const session = createImportSession({
      ...{ known: { schemas: [PERSON], complete: true }, schemaId: 'person', traitsCheck: checkWithoutWorker },
      storage: undefined,
      async create(identities) {
        sent.push(...identities);
        return identities.map((_, index) => ({ outcome: 'created', id: String(index) }));
      },
    });
    await session.choose(new File([content], name));
    if (salt) await session.change({ mapping: ['traits.email', PASSWORD, undefined] });
    const step = session.step();
    assert.ok(step.step === 'review', step.step);
    await session.start('beginning');
    const plain = sent.filter(({ credentials }) => credentials !== undefined).length;
    return [plain, sent.length - plain, ...step.inspection.mistakes.map(({ problem, lines }) => `${lines} ${problem}`)];
  }
  const PASSWORD = 'credentials.password.config.password';
  const MIXED = 'password: does not look like a hash, unlike others in this file';

  it('are left out if they are five or beside a salt, and others beside them are refused', async () => {
    const five = Array.from({ length: 5 }, (_, index) => Buffer.alloc(32, `hash ${index}`).toString('hex'));
    for (const [passwords, salt, ...expected] of [
      [five, '', 0, 5],
      [five.slice(1), '', 4, 0],
      [[...five, 'secret'], '', 0, 5, `7 ${MIXED}`],
      [[...five, ...'secret'], '', 11, 0],
      [[`${K32}=`, 'secret'], 'hash.algorithm', 0, 1, `3 ${MIXED}`],
      [[K32, 'secret'], 'plan', 2, 0],
      [['secret'], 'salt', 1, 0],
    ] as const) {
      const people = passwords.map((password, index) => ({ email: `p${index}@b.example`, password, salt: 'x' }));
      const csv = people.map(({ email, password }) => `${email},${password}${salt && ',x'}`);
      const header = `traits.email,${PASSWORD}${salt && `,${salt}`}`;
      assert.deepEqual(await imported([header, ...csv].join('\n'), 'a.csv', salt !== ''), expected, salt);
      const lines = people.map(({ email, password }) =>
        salt === ''
          ? { traits: { email }, credentials: { password: { config: { password } } } }
          : { email, password, [salt]: 'x' },
      );
      const ndjson = ['', ...lines.map((line) => JSON.stringify(line))].join('\n');
      assert.deepEqual(await imported(ndjson, 'a.ndjson', salt !== ''), expected, ndjson);
    }
  });

  const suite = appOfSuite();
  it('are the subject of a question, whose choice is applied at once', () =>
    suite.open('/identities/import', { heading: 'Import identities' }, async (app) => {
      const rows = [1, 2].map(
        (number) => `customer,p${number}@b.example,${number === 1 ? '2020-03-01' : ''},${K32}=,x`,
      );
      const content = ['schema_id,mail,deactivatedAt,password,salt', ...rows].join('\n');
      await chooseFileToImport(app, { name: 'people.csv', content });
      await app.press('Check the file');
      await waitForText(/2 identities, 2 without problems.* 1 inactive\./);
      const question = 'These passwords look like hashes';
      assert.equal(fieldValue(app, question), 'Hashes, leave them out');
      await waitForText(/hash, left out/, await app.screen.findByRole('region', { name: 'Preview' }));
      await app.choose(question, 'Passwords as they are');
      await waitForText(/2 without problems.* 2 with a password/);
      assert.equal(fieldValue(app, question), 'Passwords as they are');
    }));
});
