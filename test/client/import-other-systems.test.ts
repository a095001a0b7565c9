import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { membersOf } from '../../shared/json.ts';
import * as runs from '../support/import-runs.ts';

const text = { type: 'string' };
const traits = {
  ...{ email: { ...text, format: 'email' }, first: text, locale: text, role: { enum: ['a', 'b'] } },
  ...{ tags: { type: 'array', items: text }, news: { type: 'boolean' }, age: { type: 'integer' } },
};
const schema = { properties: { traits: { type: 'object', properties: traits } } };

const importOf = (content: BlobPart, name = 'people') => runs.importOf(content, name, { id: 'person', schema });
const traitsOf = ({ people }: Awaited<ReturnType<typeof importOf>>) =>
  people.map(({ identity, problems }) => problems[0] ?? identity.traits);
/** The traits or the first problem of each identity, or why the file is rejected. */
async function readIn(content: BlobPart, name?: string): Promise<unknown> {
  const read = await importOf(content, name);
  return read.failure ?? traitsOf(read);
}

const [ina, per] = ['ina', 'per'].map((name) => ({ email: `${name}@b.example` }));
const lines = (...values: unknown[]): string => values.map((value) => JSON.stringify(value)).join('\n');

describe('a JSON document to import', () => {
  const listed = { id: 'x', schema_id: 'person', traits: ina };
  for (const [title, document, people] of [
    ['one identity', { traits: ina, verifiable_addresses: [{ value: 'x', via: 'email' }] }, [ina]],
    [
      'one person with lists',
      { ...ina, identities: [{ provider: 'x' }], sites: [{ address: 'x' }, { address: 'y' }] },
      [ina],
    ],
    ['one person with nested members', { profile: ina, credentials: { emails: [{ value: 'x' }] } }, [ina]],
    ['a list from Kratos', [listed, 7], [ina, 'This entry is not a JSON object.']],
    ['an object with one list', { kind: 'x', users: [ina, per], scopes: ['x'] }, [ina, per]],
    ['an object around such an object', { data: { users: [ina, per] } }, [ina, per]],
    ['an object with one list of people', { clients: [{ id: 1 }], users: [ina] }, [ina]],
    ['a list with several people in an exported object', { email: 'x', address: 'x', users: [ina, per] }, [ina, per]],
    ['a list at any depth', { data: { users: { nodes: [ina] } }, meta: { page: 1 } }, [ina]],
    ['a list of resources', { data: [{ type: 'x', attributes: ina }], included: [{ type: 'y' }] }, [ina]],
    ['an object with people by their ids', { users: { u1: ina, u2: per } }, [ina, per]],
  ] as const)
    it(`is read on one line or several, under any name, if it is ${title}`, async () => {
      for (const content of [JSON.stringify(document), JSON.stringify(document, null, 2).replaceAll('\n', '\r\n')])
        for (const name of ['people', 'people.csv'])
          assert.deepEqual([await readIn(content, name), await readIn(`\uFEFF\r\n\n${content}`)], [people, people]);
    });

  it('is distinguished from one object per line, and has numbers instead of lines', async () => {
    const problem = 'This line is not JSON.';
    for (const [content, numbers, found, note] of [
      [`\n${lines(ina, per)}`, [2, 3], [ina, per], /^$/],
      [`${lines(ina)}\n{"email":\n`, [1, 2], [ina, problem], /^$/],
      [`{"email":"x","email":"y"}\n${lines(per)}`, [1, 2], ['The member “email” is repeated.', per], /^$/],
      [`{"email":"x",}\n${lines(per)}`, [1, 2], [problem, per], /^$/],
      [`[\n\n${lines(ina)},\n${lines(per)}]`, [1, 2], [ina, per], /Line numbers count the identities/],
    ] as const) {
      const read = await importOf(content);
      assert.deepEqual([read.people.map(({ line }) => line), traitsOf(read)], [numbers, found]);
      assert.match(read.note, note);
    }
  });

  it('is rejected with the place of its first error, with the names of several lists, or above 50 MB', async () => {
    assert.match(String(await readIn(`[${' '.repeat(50_000_000)}`)), /longer than 50 MB/);
    assert.match(String(await readIn('{"groups":[{"id":1}],"apps":[{"id":2}]}')), /lists: groups, apps\./);
    assert.match(String(await readIn('{"data":{"users":[]},"meta":{"page":1}}')), /no identities/);
    assert.match(String(await readIn('{\n"email":"x"\n}\n{\n"email":"y"\n}')), /several JSON documents/);
    assert.match(String(await readIn('traits\n"{""email"":1,""email"":2}"')), /“email” is repeated/);
    assert.match(String(await readIn('[{"email":"x","email":"y"}]')), /column 15: the member “email” is repeated/);
    const deep = `${'['.repeat(500)}${']'.repeat(500)}`;
    assert.match(String(await readIn(`{"email":"x","tags":${deep}}`)), /nested too deeply/);
    assert.match(
      String(await readIn('{\n  "users": [\n    {"email": "x",}\n]}')),
      /not valid JSON\. Line 3, column 19: /,
    );
  });
});

describe('a list in NDJSON', () => {
  it('is its only value where the schema has one value, and stays a list elsewhere', async () => {
    const hash = '$2b$12$abcdefghijklmnopqrstuuWxyz0123456789ABCDEFGHIJKLMNOPQ';
    const attributes = { locale: ['de'], first: [], tags: ['x'], news: ['true'], role: ['a'], age: [5] };
    const members = { ...ina, attributes, externalId: ['7'], enabled: [false], password: [hash] };
    const [person, other] = (await importOf(lines(members, { ...per, attributes: { first: [null] } }))).people;
    assert.deepEqual(other?.identity.traits, per);
    assert.deepEqual(
      [person?.problems, person?.identity],
      [
        [],
        {
          ...{ schema_id: 'person', external_id: '7', state: 'inactive' },
          ...{ credentials: { password: { config: { hashed_password: hash } } } },
          traits: { ...ina, locale: 'de', tags: ['x'], news: true, role: 'a', age: 5 },
        },
      ],
    );
  });

  it('is a problem of its line if it has several values or an object where the schema has one value', async () => {
    const problemOf = (column: string) => `${column}: must be one value, not a list or an object`;
    const columns = { locale: 'traits.locale', role: 'traits.role', externalId: 'external_id', password: 'Password' };
    for (const [member, column] of Object.entries(columns))
      for (const value of member === 'role' ? [['a', 'b']] : [['a', 'b'], [{ id: 1 }]])
        assert.deepEqual(await readIn(lines(ina, { ...per, [member]: value })), [ina, problemOf(column)]);
    for (const [cell, read] of Object.entries({
      '["de"]': { ...ina, locale: 'de' },
      '["a","b"]': problemOf('traits.locale'),
    }))
      assert.deepEqual(await readIn(`email,locale\nina@b.example,"${cell.replaceAll('"', '""')}"`), [read], cell);
  });

  it('of objects is skipped in a column that is not named like a trait', async () => {
    const other = { emails: [{ value: 'x@b.example' }], email_addresses: [{ id: 'x' }], credentials: [{ type: 'x' }] };
    assert.deepEqual(await readIn(lines({ ...other, login: ina?.email }, { ...other, login: per?.email })), [ina, per]);
  });
});

describe('a CSV file of another program', () => {
  it('is read without the apostrophe before every text of a column, and says so', async () => {
    const named = (first: string, second: string) => [
      { ...ina, first },
      { ...per, first: second },
    ];
    for (const [emails, names, people, isNoted] of [
      ["'", ["'Ina", "''t Hooft"], named('Ina', "'t Hooft"), true],
      ['', ["'Ina", "'Per"], named('Ina', 'Per'), true],
      ['', ["'t Hooft", "'s-Gravesande"], named("'t Hooft", "'s-Gravesande"), false],
      ['', ["'Abd", 'Per'], named("'Abd", 'Per'), false],
      ['', ["'=1", "''=1"], named('=1', "'=1"), false],
    ] as const) {
      const rows = ['ina', 'per'].map((name, index) => `${emails}${name}@b.example,${names[index]},5\n`);
      const read = await importOf(`email,first,x\n${rows.join('')}`);
      assert.deepEqual([traitsOf(read), read.note.startsWith('The apostrophe before')], [people, isNoted]);
    }
    const late = `email,first\n${"'ina@b.example,\n".repeat(10)}'per@b.example,'t Hooft\n'per@b.example,'Per`;
    assert.deepEqual(((await readIn(late)) as unknown[]).slice(10), [
      { ...per, first: "'t Hooft" },
      { ...per, first: 'Per' },
    ]);
    assert.deepEqual(await readIn("email,first\n,x\nina@b.example,'+49301"), [
      { first: 'x' },
      { ...ina, first: '+49301' },
    ]);
    const far = Array.from({ length: 19 }, (_, index) => `'p${index}@b.example,${index < 18 ? '' : "'true"}\n`);
    assert.equal((await importOf(`email,blocked\n${far.join('')}`)).people[18]?.identity.state, 'inactive');
    assert.match(String(await readIn('email,enabled\nina@b.example,')), /state: must be active/);
  });

  it('may have any separator that occurs equally often in every line', async () => {
    for (const sign of [',', ';', '\t', '|', ' | ', '||', '^', '~', ':', '::', '¦', '，', '\u001f'])
      for (const cell of ['Ina', `"I${sign.trim()}a"`]) {
        const first = cell.replaceAll('"', '');
        const content = `email${sign}first${sign}age\nina@b.example${sign}${cell}${sign}5\n`;
        assert.deepEqual(await readIn(content), [{ ...ina, first, age: 5 }], content);
      }
    assert.deepEqual(await readIn('email,first|\nina@b.example,a|b'), [{ ...ina, first: 'a|b' }]);
    for (const content of ['"email"|"first"\n"ina@b.example"|"I"', 'email|first||\nina@b.example|I||'])
      assert.deepEqual(await readIn(content), [{ ...ina, first: 'I' }], content);
  });

  it('is doubted if the name of its only column looks like several', async () => {
    for (const sign of ['  ', '*', '|', '\\'])
      for (const row of ['ina@b.example', `ina@b.example${sign}Ina${sign}`])
        assert.equal(String(await readIn(`email${sign}first\n${row}`)).includes('like several'), row.includes(sign));
    assert.match(String(await readIn(`email${','.repeat(500)}\nina@b.example`)), /more than 500 columns/);
    for (const name of [
      'email',
      'E-Mail',
      'Email  address',
      'cognito:username',
      'Mail (work)',
      'Email Address [Required]',
      'profile/email',
      'traits.email',
    ])
      assert.deepEqual(await readIn(`${name}\nina@b.example`), [ina], name);
  });
});

describe('passwords that look like hashes', () => {
  it('are left out if they are five or beside a salt, and others beside them are refused', async () => {
    const five = Array.from({ length: 5 }, (_, index) => Buffer.alloc(32, `hash ${index}`).toString('hex'));
    const key = Buffer.alloc(32).toString('base64');
    const mixed = 'password: does not look like a hash, but hashes are to be left out';
    for (const [column, passwords, found] of [
      ['plan', five, [false, false, false, false, false]],
      ['plan', five.slice(1), [true, true, true, true]],
      ['plan', [...five, 'secret'], [false, false, false, false, false, mixed]],
      ['plan', [...five, ...'secret'], [...Array(5).fill(false), ...Array(6).fill(mixed)]],
      [
        'plan',
        five.map((hash, index) => (index > 2 ? `*${hash.slice(index * 4)} ` : `${hash}:salt`)),
        Array(5).fill(false),
      ],
      ['hash.algorithm', [key, 'secret'], [false, mixed]],
      ['factor', [key], [false]],
      ['plan', [key, 'secret'], [true, true]],
      ['salt', ['secret'], [mixed]],
      ['password_hasher', [`${key}.salt`], [false]],
      ['two_factor', ['secret'], [true]],
    ] as const) {
      const rows = passwords.map((password, index) => ({ email: `p${index}@b.example`, password, [column]: 'x' }));
      const csv = [`email,password,${column}`, ...rows.map((row) => Object.values(row).join())].join('\n');
      for (const content of [csv, lines(...rows)]) {
        const { people } = await importOf(content);
        const sent = people.map(
          ({ identity, problems }) => problems[0] ?? 'password' in membersOf(identity.credentials),
        );
        assert.deepEqual(sent, found, content);
      }
    }
  });
});

describe('a file of another format', () => {
  const zip = (entry: string): string => `PK\u0003\u0004${'\u0000'.repeat(26)}${entry}`;
  for (const [format, content, message] of [
    ['gzip', gzipSync('{}'), /gzip\. Unpack/],
    ['ZIP', zip('people.csv'), /archive\. Unpack/],
    ['XLSX', zip('[Content_Types].xml'), /workbook .* “CSV UTF-8”/],
    ['ODS', zip('mimetypeapplication/vnd.oasis.opendocument.spreadsheet'), /workbook/],
    ['XLS', new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1]), /workbook/],
    ['LDIF', '# LDAPv3\n\nversion: 1\r\n\r\ndn: uid=ina\n', /LDIF file\. Convert/],
    ['LDIF without a version', 'dn:: dWlkPWluYQ==\n', /LDIF/],
    ['vCard', '\uFEFFBEGIN:VCARD\r\nVERSION:4.0\r\n', /vCard/],
    ['HTML', '\n<!DOCTYPE html><html>', /HTML or XML/],
    ['YAML', 'users:\n  - email: ina@b.example\n', /YAML/],
    ['SQL', '-- MySQL dump 10.13\n', /SQL/],
    ['PDF', '%PDF-1.7\n', /document/],
  ] as const)
    it(`is rejected under any name, with what to do: ${format}`, async () => {
      for (const name of ['people.json', 'people.csv']) assert.match(String(await readIn(content, name)), message);
    });
});
