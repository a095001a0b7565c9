import assert from 'node:assert/strict';
import { PASSWORD_COLUMN } from '../../client/features/identities/transfer/file-password.ts';
import { guessColumns, mappingOf, matchingSchema } from '../../client/features/identities/transfer/guess-columns.ts';
import { traitColumns } from '../../client/features/identities/transfer/portable-identity.ts';

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

  it('comes from names, titles, and synonyms', () => {
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

  it('comes from the values in a column, and no two columns have the same', () => {
    assert.deepEqual(guess(['Contact', 'Other', 'Mail'], [['a@b.example', 'c@d.example', '']]), [
      undefined,
      undefined,
      'traits.email',
    ]);
    assert.deepEqual(guess(['Contact', 'Other'], [['a@b.example', 'c@d.example']]), ['traits.email', undefined]);
  });

  it('is right for files of other systems', () => {
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
    // A state of the country beside one of the account.
    for (const [region, becomes] of [
      ['WA', undefined],
      ['ACTIVE', 'state'],
      ['', 'state'],
    ] as const)
      assert.deepEqual(guess(['accountEnabled', 'state'], [['True', region]]), ['state', becomes]);
    assert.deepEqual(header('surname,accountEnabled,suspended,user_metadata.zip'), [
      ...['traits.name.last', 'state', 'state', 'traits.zip'],
    ]);
  });

  it('keeps the operator’s choices with another schema that has the traits', () => {
    const traits = traitColumns(schema);
    const others = traitColumns({ properties: { traits: { properties: { email: {}, city: {} } } } });
    const beginning = { header: ['Mail', 'City', 'CRM id'], samples: [] };
    const byHand = new Map([
      [0, undefined],
      [1, 'traits.zip'],
      [2, 'traits.email'],
    ]);
    assert.deepEqual(mappingOf(beginning, traits, byHand), [undefined, 'traits.zip', 'traits.email']);
    assert.deepEqual(mappingOf(beginning, others, byHand), [undefined, 'traits.city', 'traits.email']);
  });

  it('selects the schema if the columns fit only one', async () => {
    const text = { type: 'string' };
    const person = { id: 'person', schema };
    const traits = { email: { ...text, format: 'email' }, name: text, role: text };
    const staff = { id: 'staff', schema: { properties: { traits: { properties: traits, required: ['role'] } } } };
    const fitting = (header: string, complete = true) =>
      matchingSchema(new File([`${header}\na@b.example,x,y\n`], 'people.csv'), { schemas: [person, staff], complete });
    assert.equal(await fitting('E-mail address,SURNAME,postal_code'), 'person');
    assert.equal(await fitting('Mail,Role,id'), 'staff');
    assert.equal(await fitting('traits.email,traits.role,traits.zip'), undefined);
    assert.equal(await fitting('traits.email', false), undefined, 'there may be another that fits');
  });
});
