import assert from 'node:assert/strict';
import { stateIn } from '../../client/features/import-export/account-state.ts';
import {
  type CheckedIdentity,
  checkFile,
  identityChecker,
} from '../../client/features/import-export/check-identity.ts';
import { PASSWORD_COLUMN } from '../../client/features/import-export/file-password.ts';
import { guessColumns, mappingOf, matchingSchema } from '../../client/features/import-export/guess-columns.ts';
import { importReport, reportLines, resultCells } from '../../client/features/import-export/import-reports.ts';
import {
  type ImportResult,
  type OutcomeRuns,
  progressStore,
  withOutcomes,
} from '../../client/features/import-export/import-run.ts';
import {
  existingIdentities,
  inspectIdentities,
  type StoredIdentities,
} from '../../client/features/import-export/inspect-identities.ts';
import { traitColumns } from '../../client/features/import-export/portable-identity.ts';
import type { SourceRecord } from '../../client/features/import-export/transfer-file.ts';
import { browserStorage, checkWithoutWorker, personChecker } from '../support/import-runs.ts';

const checker = personChecker();

describe('the check before an import', () => {
  const signIn = { 'ory.sh/kratos': { credentials: { password: { identifier: true } } } };
  const member = {
    id: 'member',
    schema: { properties: { traits: { properties: { email: { type: 'string', ...signIn }, nick: {} } } } },
  };
  const members = identityChecker({ schemas: [member], complete: true }, 'member', checkWithoutWorker);
  async function* checkMembers(...identities: object[]): AsyncGenerator<CheckedIdentity> {
    const file = new Blob([identities.map((identity) => JSON.stringify(identity)).join('\n')]);
    yield* checkFile(file, { format: 'ndjson' }, members);
  }
  const checkOne = async (record: SourceRecord, by = checker): Promise<CheckedIdentity> =>
    (await by.check([record]))[0] ?? assert.fail();
  const check = async (members: Record<string, unknown>): Promise<string[]> =>
    (await checkOne({ line: 1, members })).problems;

  it('reports problems with traits by their path', async () => {
    for (const [traits, problem] of [
      [undefined, 'traits.email: is required'],
      [{ email: 'a@b.example', age: '3' }, 'traits.age: must be a whole number'],
      [{ email: 'nobody' }, 'traits.email: is not a valid e-mail address'],
      [{ email: 'a@b.example', role: 'x' }, 'traits.role: must be one of "reader", "writer"'],
      [{ email: 'a@b.example', 'no/t ~it': 1 }, 'traits.no/t ~it: is not in the schema'],
      [{ email: 'a@b.example', age: -1 }, 'traits.age: is less than 0'],
    ] as const)
      assert.deepEqual(await check({ traits }), [problem]);
  });

  it('reports unknown members, schemas and states, and members of the wrong type', async () => {
    const traits = { email: 'a@b.example' };
    assert.deepEqual(await check({ traits, name: 'x' }), ['name: is not a field of an identity']);
    assert.deepEqual(await check({ traits, schema_id: 'gone' }), ['schema_id: the schema “gone” does not exist']);
    assert.deepEqual(await check({ traits, state: 'asleep' }), ['state: must be active or inactive']);
    assert.deepEqual(await check({ traits, external_id: 42 }), ['external_id: must be text']);
    assert.deepEqual(await check({ traits, credentials: 'secret' }), ['credentials: must be a JSON object']);
  });

  it('maps the states of other systems, and treats a row as inactive if any of its columns marks it as such', () => {
    for (const [columns, state] of [
      [{ Status: 'ACTIVE' }, 'active'],
      [{ Status: 'Suspended' }, 'inactive'],
      [{ state: 'DEPROVISIONED' }, 'inactive'],
      [{ accountEnabled: 'True' }, 'active'],
      [{ accountEnabled: 'False' }, 'inactive'],
      [{ 'Block sign in (Yes/No) [accountEnabled] Required': 'Yes' }, 'inactive'],
      [{ 'app.blocked': 'true' }, 'inactive'],
      [{ blocked: 'false' }, 'active'],
      [{ blocked: '' }, undefined],
      [{ locked: 'true' }, 'locked'],
      [{ locked_on: '2099-01-01' }, 'locked_on in the future'],
      [{ lockedSince: '31.03.2020' }, 'lockedSince with a value'],
      [{ deactivatedAt: '133500000000000000' }, 'deactivatedAt with a value'],
      [{ 'Aktiv (ja/nein)': 'nein' }, 'inactive'],
      [{ accountNonLocked: 'false' }, 'locked'],
      [{ is_active: 'NULL' }, 'is_active without a value'],
      [{ deactivatedAt: '2020-03-01T10:00:00Z' }, 'inactive'],
      [{ account_disabled_date: '1583056800' }, 'inactive'],
      [{ 'user.gesperrtAm': 'Sun, 01 Mar 2020 10:00:00 GMT' }, 'inactive'],
      [{ 'deleted.$date': '1583056800000' }, 'inactive'],
      [{ blocked_until: '2020-03-01' }, 'blocked_until in the past'],
      [{ activeUntil: '2020-03-01' }, 'activeUntil in the past'],
      [{ deletedTimestamp: 'N' }, 'active'],
      [{ deletedAt: 'Sun Mar 01 10:00:00 +0000 2020' }, 'deletedAt with a value'],
      ...['', ' ', '0000-00-00 00:00', '1970-01-01T00:00:00Z', '01.01.0001 00:00', '-62135596800', 'null', '-'].map(
        (none) => [{ suspension_time: none }, undefined] as const,
      ),
      [{ locked: 'no' }, 'active'],
      [{ locked_on: '0' }, 'active'],
      [{ Status: 'STAGED' }, 'STAGED'],
      [{ status: 'active', suspended: 'yes' }, 'inactive'],
      [{ status: 'whatever', suspended: 'yes' }, 'inactive'],
      [{ status: 'whatever', enabled: '1' }, 'whatever'],
    ] as const)
      assert.equal(stateIn(Object.entries(columns)), state, JSON.stringify(columns));
  });

  it('lets the operator override problems with traits, but not an unknown state or invalid JSON', async () => {
    const overridable = async (members: Record<string, unknown>) => (await checkOne({ line: 1, members })).overridable;
    assert.ok(await overridable({ traits: { email: 'nobody' } }));
    assert.ok(!(await overridable({ traits: { email: 'a@b.example' } })));
    assert.ok(!(await overridable({ traits: { email: 'nobody' }, state: 'asleep' })));
    assert.ok(!(await checkOne({ line: 1, problem: 'This line is not JSON.' })).overridable);
  });

  it('leaves traits unchecked if it does not support their schema', async () => {
    const unsupported = [
      { id: 'remote', schema: { properties: { traits: { $ref: 'https://elsewhere.example/schema' } } } },
      { id: 'dialect', schema: { properties: { traits: { properties: { a: { pattern: '(?i)x' } } } } } },
    ];
    for (const { id } of unsupported) {
      const checker = identityChecker({ schemas: unsupported, complete: true }, id, checkWithoutWorker);
      const { problems, notCheckedHere } = await checkOne({ line: 1, members: { traits: { a: 'y' } } }, checker);
      assert.deepEqual([problems, notCheckedHere], [[], true]);
    }
  });

  it('finds existing people by lookups for a small file, and by reading up to 100,000 stored people for a large file', async () => {
    const stored = { schema_id: 'member', traits: { email: 'p3@b.example' }, external_id: 'x1' };
    const lookups: string[] = [];
    const store: StoredIdentities = {
      total: async () => 2,
      hasIdentifier: async (identifier) => lookups.push(identifier) > 0 && identifier === stored.traits.email,
      hasExternalId: async (id) => id === stored.external_id,
      page: async (token) =>
        token === undefined
          ? { rows: [], next: 'second' }
          : { rows: [{ schema_id: 'gone', traits: { email: 'p2@b.example' } }, stored], next: undefined },
    };
    const existing = async (count: number, from = store) => {
      const lines = Array.from({ length: count }, (_, index) => ({ traits: { email: `P${index + 1}@b.example ` } }));
      const all = checkMembers(...lines, { traits: { nick: 'p3@b.example' } }, { traits: {}, external_id: 'x1' });
      const found = await existingIdentities(all, members.uniqueValues, from, new AbortController().signal);
      return found && [...found].sort((a, b) => a - b);
    };
    assert.deepEqual(await existing(4), [3, 6]);
    assert.deepEqual(lookups, ['p1@b.example', 'p2@b.example', 'p3@b.example', 'p4@b.example']);
    assert.deepEqual(await existing(200), [3, 202]);
    assert.equal(lookups.length, 4);
    assert.equal(await existing(200, { ...store, total: async () => 100_001 }), undefined);
    const endless = existing(200, { ...store, page: async (token) => ({ rows: [stored], next: `${token}a` }) });
    await assert.rejects(endless, /more than 1,000 pages/);
  });

  it('reports login identifiers and external IDs that occur twice in the file, but not other traits', async () => {
    const results: unknown[] = [];
    for await (const { problems, overridable } of checkMembers(
      { traits: { email: 'Ada@b.example', nick: 'a' }, external_id: '7' },
      { traits: { email: 'bob@b.example', nick: 'a' } },
      { traits: { email: ' ada@B.example' } },
      { traits: { email: 'carl@b.example' }, external_id: '7' },
    ))
      results.push([...problems, overridable]);
    assert.deepEqual(results, [
      [false],
      [false],
      ['traits.email: the same as on line 1', true],
      ['external_id: the same as on line 1', true],
    ]);
  });

  it('reports each problem once, the most frequent first, with the number of identities and their first lines', async () => {
    const lines = Array.from({ length: 300 }, (_, index) =>
      JSON.stringify({
        traits: { email: index % 5 === 1 ? `p${index}` : `p${index}@b.example`, ...(index === 0 ? { age: -1 } : {}) },
        state: index % 100 === 1 ? 'asleep' : 'active',
      }),
    );
    const { mistakes, invalid } = await inspectIdentities(
      checkFile(new Blob([lines.join('\n')]), { format: 'ndjson' }, checker),
    );
    assert.equal(invalid, 61);
    assert.deepEqual(mistakes, [
      { problem: 'traits.email: is not a valid e-mail address', count: 60, lines: [2, 7, 12], who: 'p1' },
      { problem: 'state: must be active or inactive', count: 3, lines: [2, 102, 202], who: 'p1' },
      { problem: 'traits.age: is less than 0', count: 1, lines: [1], who: 'p0@b.example' },
    ]);
  });
});

describe('the guessed meaning of columns', () => {
  const schema = {
    properties: {
      traits: {
        properties: {
          email: { type: 'string', format: 'email', title: 'E-Mail' },
          name: {
            type: 'object',
            properties: { first: { type: 'string', title: 'First name' }, last: { type: 'string' } },
          },
          zip: { type: 'string', title: 'Postal code' },
        },
      },
    },
  };
  const guess = (header: string[], samples: string[][] = []) => guessColumns({ header, samples }, traitColumns(schema));

  it('comes from names, titles and synonyms', () => {
    assert.deepEqual(
      guess(['E-mail address', 'First Name', 'SURNAME', 'postal_code', 'CRM id', 'Status', 'Shoe size']),
      ['traits.email', 'traits.name.first', 'traits.name.last', 'traits.zip', 'external_id', 'state', undefined],
    );
    assert.deepEqual(guess(['Vorname', 'Nachname', 'name.first']), [
      undefined,
      'traits.name.last',
      'traits.name.first',
    ]);
  });

  it('comes from the values of a column with an unknown name, unless the name of another column has this meaning', () => {
    assert.deepEqual(guess(['Contact', 'Other', 'Mail'], [['a@b.example', 'c@d.example', '']]), [
      undefined,
      undefined,
      'traits.email',
    ]);
    assert.deepEqual(guess(['Contact', 'Other'], [['a@b.example', 'c@d.example']]), ['traits.email', undefined]);
  });

  it('is right for the exports of other systems', () => {
    const header = (names: string) => guess(names.split(','));
    assert.deepEqual(header('profile.email,profile.firstName,status'), ['traits.email', 'traits.name.first', 'state']);
    assert.deepEqual(
      header('First Name [Required],Email Address [Required],Password [Required],Status [READ ONLY],Employee ID'),
      ['traits.name.first', 'traits.email', PASSWORD_COLUMN, 'state', 'external_id'],
    );
    assert.deepEqual(
      header('Initial password [passwordProfile] Required,Block sign in (Yes/No) [accountEnabled] Required,mail'),
      [PASSWORD_COLUMN, 'state', 'traits.email'],
    );
    // A column called “state” may belong to an address if another column contains the state of the account.
    for (const [region, meaning] of [
      ['WA', undefined],
      ['ACTIVE', 'state'],
      ['', 'state'],
    ] as const)
      assert.deepEqual(guess(['accountEnabled', 'state'], [['True', region]]), ['state', meaning]);
    assert.deepEqual(header('surname,accountEnabled,suspended,user_metadata.zip'), [
      ...['traits.name.last', 'state', 'state', 'traits.zip'],
    ]);
    const names = `deactivatedAt locked_on is_disabled suspension-time accountLockedUntil gesperrt_seit active_yn Active?
Enabled(Y/N) softDeletedAt ban_expires revoked_at frozen accountNonLocked nsAccountLock userAccountControl`;
    for (const name of names.split(/\s/))
      assert.deepEqual(header(`${name},last_active_at,activeDirectoryId,deletedBy`), ['state', ...Array(3)], name);
  });

  it('keeps the operator’s choices after a change of schema if the new schema has the chosen traits', () => {
    const traits = traitColumns(schema);
    const others = traitColumns({ properties: { traits: { properties: { email: {}, city: {} } } } });
    const start = { header: ['Mail', 'City', 'CRM id'], samples: [] };
    const byHand = new Map([
      [0, undefined],
      [1, 'traits.zip'],
      [2, 'traits.email'],
    ]);
    assert.deepEqual(mappingOf(start, traits, byHand), [undefined, 'traits.zip', 'traits.email']);
    assert.deepEqual(mappingOf(start, others, byHand), [undefined, 'traits.city', 'traits.email']);
  });

  it('determines the schema if the columns fit only one', async () => {
    const text = { type: 'string' };
    const person = { id: 'person', schema };
    const traits = { email: { ...text, format: 'email' }, name: text, role: text };
    const staff = { id: 'staff', schema: { properties: { traits: { properties: traits, required: ['role'] } } } };
    const fitting = (header: string, complete = true) =>
      matchingSchema(new File([`${header}\na@b.example,x,y\n`], 'people.csv'), { schemas: [person, staff], complete });
    assert.equal(await fitting('E-mail address,SURNAME,postal_code'), 'person');
    assert.equal(await fitting('Mail,Role,id'), 'staff');
    assert.equal(await fitting('traits.email,traits.role,traits.zip'), undefined);
    assert.equal(await fitting('traits.email', false), undefined, 'a schema that was not loaded may fit as well');
  });
});

describe('the progress of an import', () => {
  const progress = (fingerprint: string, savedAt = 0) => ({
    fingerprint,
    total: 300,
    outcomes: [['created', 100]] as OutcomeRuns,
    savedAt,
  });

  it('is found for the same file after a reload, in its latest version only, and contains no personal data', () => {
    const storage = browserStorage();
    const save = (saved: ReturnType<typeof progress>) => progressStore(storage, () => 0).save(saved);
    for (const saved of [progress('a'), progress('b')]) save(saved);
    save({ ...progress('a'), outcomes: withOutcomes([['created', 199]], ['created']) });
    const store = progressStore(storage, () => 0);
    assert.deepEqual([store.find('a')?.outcomes, store.find('c')], [[['created', 200]], undefined]);
    // Only a fingerprint, counts and a time.
    const [a, b] = [200, 100].map((count) => `"total":300,"outcomes":[["created",${count}]],"savedAt":0}`);
    assert.deepEqual([...storage.items.values()], [`[{"fingerprint":"a",${a},{"fingerprint":"b",${b}]`]);
  });

  it('is stored for at most five imports and thirty days', () => {
    const stored = browserStorage();
    for (const name of 'abcdefg') progressStore(stored, () => 0).save(progress(name));
    assert.equal(progressStore(stored, () => 0).all().length, 5);
    assert.equal(progressStore(stored, () => 31 * 86_400_000).all().length, 0);
  });

  it('is ignored if its stored form is invalid', () => {
    for (const text of ['not json', '[null, {"fingerprint":"a","total":1,"savedAt":0,"outcomes":[7]}]']) {
      const stored = browserStorage();
      stored.setItem('identity-imports.unfinished', text);
      assert.deepEqual(progressStore(stored, () => 0).all(), []);
    }
  });
});

describe('the report of an import', () => {
  it('has a line for each identity, including those of an earlier run and those not sent', async () => {
    const identities = Array.from({ length: 5 }, (_, index) => ({
      line: index + 2,
      identity: { traits: { email: `p${index}@b.example` } },
      problems: index === 2 ? ['traits.email: is required'] : [],
      overridable: false,
      leftOut: [],
    }));
    async function* each() {
      yield* identities;
    }
    const runs: OutcomeRuns = [
      ['created', 2],
      ['invalid', 1],
      ['existing', 1],
    ];
    const lines = reportLines();
    const ofRun: ImportResult[] = [
      { line: 4, who: 'c@b.example', outcome: 'invalid', reason: 'traits.email: is required' },
      { line: 5, who: 'd@b.example', outcome: 'existing', reason: '=HYPERLINK("x")' },
    ];
    for (const result of ofRun) lines.add(resultCells(result));
    const report = await (await importReport(each(), runs, { from: 2, lines })).text();
    assert.equal(
      report,
      [
        'line,who,outcome,id,reason',
        '2,p0@b.example,created,,',
        '3,p1@b.example,created,,',
        '4,c@b.example,skipped,,traits.email: is required',
        `5,d@b.example,already exists,,"'=HYPERLINK(""x"")"`,
        '6,p4@b.example,not sent,,',
        '',
      ].join('\r\n'),
    );
  });
});
