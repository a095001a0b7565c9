import { identityChecker } from '../../client/features/identities/import/check-identity.ts';
import { schemaCheck } from '../../client/features/identities/schema-check.ts';
import type { TraitsCheck } from '../../client/features/identities/traits-check.ts';

const PERSON = {
  id: 'person',
  schema: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      traits: {
        type: 'object',
        properties: {
          email: { type: 'string', format: 'email' },
          zip: { type: 'string' },
          age: { type: 'integer', minimum: 0 },
          role: { enum: ['reader', 'writer'] },
        },
        required: ['email'],
        additionalProperties: false,
      },
    },
  },
};
const LOOSE = { id: 'loose', schema: { properties: { traits: { type: 'object' } } } };

/** The same check without its worker. */
export const checkHere: TraitsCheck = async (schema, traits) => {
  const check = schemaCheck(schema);
  return traits.map((text) => check(JSON.parse(text)));
};

export const personChecker = () => identityChecker({ schemas: [PERSON, LOOSE], complete: true }, 'person', checkHere);
