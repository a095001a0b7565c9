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
  const guess = (header: string[], samples: string[][] = [], chosen?: Map<number, string | undefined>) =>
    guessColumns({ header, samples }, traitColumns(schema), chosen);

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

  it('is what the operator has chosen before, also to skip a column, unless the schema has no such trait', () => {
    const chosen = new Map([
      [0, 'traits.zip'],
      [1, undefined],
      [2, 'traits.of_another_schema'],
    ]);
    assert.deepEqual(guess(['Mail', 'Vorname', 'Nachname', 'zip'], [], chosen), [
      'traits.zip',
      undefined,
      'traits.name.last',
      undefined,
    ]);
  });

  it('tells the schema, where the columns fit but one', async () => {
    const text = { type: 'string' };
    const person = { id: 'person', schema };
    const traits = { email: { ...text, format: 'email' }, name: text, role: text };
    const staff = { id: 'staff', schema: { properties: { traits: { properties: traits, required: ['role'] } } } };
    const fitting = (header: string, complete = true) =>
      fittingSchema(new File([`${header}\na@b.example,x,y\n`], 'people.csv'), { schemas: [person, staff], complete });
    assert.equal(await fitting('E-mail address,SURNAME,postal_code'), 'person');
    assert.equal(await fitting('Mail,Role,id'), 'staff');
    assert.equal(await fitting('traits.email,traits.role,traits.zip'), undefined);
    assert.equal(await fitting('traits.email', false), undefined, 'there may be another that fits');
  });
});
