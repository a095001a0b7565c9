import assert from 'node:assert/strict';
import { fittingSchema } from '../../client/features/identities/import/fitting-schema.ts';
import { guessColumns } from '../../client/features/identities/import/guess-columns.ts';
import { traitColumns } from '../../client/features/identities/transfer/trait-columns.ts';

describe('what the columns of a spreadsheet probably mean', () => {
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

  it('is told by names, titles, and what they are called elsewhere', () => {
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

  it('is told by what stands below, and no two columns mean the same', () => {
    assert.deepEqual(guess(['Contact', 'Other', 'Mail'], [['a@b.example', 'c@d.example', '']]), [
      undefined,
      undefined,
      'traits.email',
    ]);
    assert.deepEqual(guess(['Contact', 'Other'], [['a@b.example', 'c@d.example']]), ['traits.email', undefined]);
  });

  it('ignores ids and dates, and recognizes our own names', () => {
    assert.deepEqual(guess(['id', 'created_at', 'traits.zip', 'external_id']), [
      undefined,
      undefined,
      'traits.zip',
      'external_id',
    ]);
  });

  it('tells the schema, where the columns fit but one', async () => {
    const text = { type: 'string' };
    const person = { id: 'person', schema };
    const traits = { email: { ...text, format: 'email' }, name: text, role: text };
    const staff = { id: 'staff', schema: { properties: { traits: { properties: traits, required: ['role'] } } } };
    const schemas = [person, staff];
    const fitting = (header: string, { name = 'people.csv', complete = true } = {}) =>
      fittingSchema(new File([`${header}\na@b.example,x,y\n`], name), { schemas, complete });
    for (const [header, expected] of [
      ['traits.email,traits.zip', 'person'],
      ['E-mail address,SURNAME,postal_code', 'person'],
      ['Mail,Role,id', 'staff'],
      ['traits.email', 'person'],
      ['traits.email,traits.role,traits.zip', undefined],
      ['Mail,Shoe size', undefined],
      ['external_id,id', undefined],
    ] as const)
      assert.equal(await fitting(header), expected, header);
    assert.equal(await fitting('traits.email', { complete: false }), undefined, 'there may be another that fits');
    assert.equal(await fitting('traits.email', { name: 'people.ndjson' }), undefined);
    const both = { schemas: [person, { ...person, id: 'twin' }], complete: true };
    assert.equal(await fittingSchema(new File(['traits.email,traits.zip\n'], 'a.csv'), both), undefined);
    assert.equal(await fittingSchema(new File([Uint8Array.of(0xff, 0xfe)], 'a.csv'), both), undefined);
  });
});
