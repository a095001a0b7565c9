import assert from 'node:assert/strict';
import { csvWriter, exportColumns, ndjsonWriter } from '../../client/features/import-export/export-identities.tsx';
import {
  PORTABLE_MEMBERS,
  STORE_COLUMNS,
  schemaColumns,
  valueIn,
} from '../../client/features/import-export/portable-identity.ts';
import { readIdentities } from '../../client/features/import-export/read-identities.ts';

const SCHEMA = {
  definitions: {
    job: {
      type: 'object',
      properties: {
        title: { type: 'string' },
        place: { type: 'object', properties: { city: { type: 'string' }, floor: { type: 'integer' } } },
      },
    },
  },
  properties: {
    traits: {
      properties: {
        email: { type: 'string' },
        name: { type: 'string' },
        age: { type: 'integer' },
        address: { type: 'object' },
        job: { $ref: '#/definitions/job' },
        tags: { type: 'array' },
        loose: {},
        news: { type: ['boolean', 'null'] },
      },
    },
  },
};
const schemas = schemaColumns([{ id: 'person', schema: SCHEMA }]);

const COLUMNS = exportColumns([SCHEMA]).filter(({ name }) => !STORE_COLUMNS.some((made) => made === name));
const writers = {
  csv: csvWriter(COLUMNS),
  'csv with formulas': csvWriter(COLUMNS, { raw: true }),
  ndjson: ndjsonWriter(PORTABLE_MEMBERS),
};

const stored = (members: Record<string, unknown>): Record<string, unknown> => ({
  id: '9f425a8d-7efc-4768-8f23-7647a74fdf13',
  schema_url: 'http://127.0.0.1:4433/schemas/b3BlcmF0b3I',
  credentials: { password: { type: 'password', config: {} } },
  created_at: '2026-11-20T10:00:00Z',
  updated_at: '2026-11-20T10:00:00Z',
  organization_id: null,
  metadata_public: null,
  metadata_admin: null,
  schema_id: 'person',
  state: 'active',
  traits: { email: 'a@b.example' },
  ...members,
});

async function roundTrip(
  written: keyof typeof writers,
  identities: readonly Record<string, unknown>[],
): Promise<unknown[]> {
  const { start, write } = writers[written];
  const format = written === 'ndjson' ? written : 'csv';
  const file = new Blob([start, ...identities.map(write)]);
  const read: unknown[] = [];
  for await (const record of readIdentities(file, { format }, schemas))
    read.push('members' in record ? record.members : record);
  return read;
}

const TEXTS = [
  ...'42 -0.50 00042 =1+1 @sum(A1) true null "quoted" {"a":1} [1,2] {broken 山田😀 e\u0301 \uFEFFmark'.split(' '),
  ...['', ' led by a space', 'comma, "quotes" and \'apostrophes\'', "'apostrophe", '+49 30 123456'],
  ...['=cmd|/C', "'=1", "''@x", "'", '+49 (30) 12-3', '-1-2', '+1e5', '-', '+a', ' =1', '＝1', '\ttab', '\n=1'],
  ...['line\nbreak', 'line\r\nbreak', '\rreturn', 'tab\there;semicolon'],
];

for (const format of ['csv', 'csv with formulas', 'ndjson'] as const) {
  describe(`an export as ${format} that is read back`, () => {
    it('has all members of the identity except for its ID, times and credentials', async () => {
      const identity = stored({
        external_id: 'crm-42',
        state: 'inactive',
        traits: { email: 'a@b.example', name: 'Full', age: 42, address: { city: 'Ulm', zip: null }, tags: ['a', 'b'] },
        metadata_public: { plan: 'gold', limits: [1, 2.5, -3e-7] },
        metadata_admin: { note: 'line\nbreak', nested: { deep: [true, false, null] } },
      });
      assert.deepEqual(await roundTrip(format, [identity]), [
        {
          schema_id: 'person',
          state: 'inactive',
          external_id: 'crm-42',
          traits: identity.traits,
          metadata_public: identity.metadata_public,
          metadata_admin: identity.metadata_admin,
        },
      ]);
    });

    it('distinguishes values from texts that look the same, whatever type the schema requires', async () => {
      const values = [0, -1.5, 1e21, true, false, null, [], {}, [''], { '': '' }, '0', 'false', 'null', '[]', 'TRUE'];
      const identities = values.map((value) => stored({ traits: { loose: value, news: value } }));
      const read = (await roundTrip(format, identities)) as { traits: unknown }[];
      assert.deepEqual(
        read.map(({ traits }) => traits),
        identities.map(({ traits }) => traits),
      );
    });

    it('preserves every text, in traits with or without a type and in traits outside the schema', async () => {
      const identities = TEXTS.map((text) =>
        stored({ traits: { name: text, loose: text, unnamed: text, 'a.b c': text }, metadata_public: { text } }),
      );
      assert.deepEqual(
        await roundTrip(format, identities),
        identities.map(({ schema_id, state, traits, metadata_public }) => ({
          schema_id,
          state,
          traits,
          metadata_public,
        })),
      );
    });

    it('preserves members of objects, whatever else the objects contain', async () => {
      const traits = [
        { job: { title: '007', place: { city: 'Ulm', floor: 3 } } },
        { job: { title: 'x', place: { city: 'Ulm', room: 'A' }, since: 2020 } },
        { job: { place: {} } },
        { job: {} },
        { job: null },
        { job: 'none' },
        { job: { title: null, place: [1] } },
        { 'job.title': 'dotted', 'job.place.city': 'dotted', job: { title: 'real' } },
      ].map((more) => ({ email: 'a@b.example', ...more }));
      const read = (await roundTrip(
        format,
        traits.map((personTraits) => stored({ traits: personTraits })),
      )) as { traits: unknown }[];
      assert.deepEqual(
        read.map((members) => members.traits),
        traits,
      );
    });
  });
}

describe('a cell of a CSV file', () => {
  const nameIn = (writer: ReturnType<typeof csvWriter>, name: string) =>
    writer.write(stored({ traits: { name } })).split(',')[4];

  it('is written as a formula only if formulas are requested', () => {
    const { csv, 'csv with formulas': raw } = writers;
    for (const text of ['=cmd|x', '@sum', '+1+1', '-2*3', '+a', '＝1', '-1-2', '+1cmd'])
      assert.deepEqual([nameIn(csv, text), nameIn(raw, text)], [`'${text}`, text], text);
    for (const text of ['+49 (30) 12-3', '+4930123456', 'Ada', "'n Roll"])
      assert.deepEqual([nameIn(csv, text), nameIn(raw, text)], [text, text], text);
    assert.ok(csv.write(stored({ traits: { age: -1.5 } })).includes(',-1.5,'));
    assert.equal(csv.start[0], '\uFEFF', 'a spreadsheet program would assume another encoding');
  });

  it('is read as a boolean in the spellings of spreadsheet programs if the schema allows only booleans', () => {
    for (const yes of ['TRUE', 'yes', ' Yes ', '1']) assert.equal(valueIn(yes, 'boolean'), true, yes);
    for (const no of ['FALSE', 'no', '0']) assert.equal(valueIn(no, 'boolean'), false, no);
    // The check against the schema reports these values.
    assert.deepEqual(
      ['perhaps', '2', 'null', ''].map((cell) => valueIn(cell, 'boolean')),
      ['perhaps', 2, null, undefined],
    );
  });
});
