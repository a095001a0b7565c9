import { identityChecker } from '../../client/features/identities/transfer/check-identity.ts';

export const PERSON = {
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

export const personChecker = () => identityChecker({ schemas: [PERSON, LOOSE], complete: true }, 'person');
