import { ROLES, type RoleSource } from '../../shared/capabilities.ts';
import { membersOf, texts } from '../../shared/json.ts';

/**
 * An identity schema for operators, as Kratos takes it: an email address and a password to sign in with, both factors
 * that Kratos asks for beyond it, and the role that the dashboard reads.
 */
export const OPERATOR_SCHEMA = {
  $id: 'operator',
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Operator',
  type: 'object',
  properties: {
    traits: {
      type: 'object',
      properties: {
        email: {
          type: 'string',
          format: 'email',
          title: 'Email',
          'ory.sh/kratos': {
            credentials: {
              password: { identifier: true },
              totp: { account_name: true },
              webauthn: { identifier: true },
              code: { identifier: true, via: 'email' },
            },
            recovery: { via: 'email' },
            verification: { via: 'email' },
          },
        },
        name: {
          type: 'object',
          properties: { first: { type: 'string', title: 'First name' }, last: { type: 'string', title: 'Last name' } },
          additionalProperties: false,
        },
        role: { type: 'string', title: 'Role', enum: [...ROLES] },
      },
      required: ['email', 'role'],
      additionalProperties: false,
    },
  },
};

/** The same where roles are kept elsewhere than in the traits. */
export function operatorSchema(roleFrom: RoleSource): object {
  if (roleFrom === 'traits.role') return OPERATOR_SCHEMA;
  const { role, ...properties } = OPERATOR_SCHEMA.properties.traits.properties;
  const traits = { ...OPERATOR_SCHEMA.properties.traits, properties, required: ['email'] };
  return { ...OPERATOR_SCHEMA, properties: { traits } };
}

/** The roles that a JSON schema of Kratos allows in `traits.role`: `any` if it names none, undefined without that trait. */
export function rolesOf(schema: unknown): readonly string[] | 'any' | undefined {
  const traits = membersOf(membersOf(membersOf(schema)['properties'])['traits']);
  const role = membersOf(traits['properties'])['role'];
  if (role === undefined) return undefined;
  const { enum: named, const: only } = membersOf(role);
  if (typeof only === 'string') return [only];
  return Array.isArray(named) ? texts(named) : 'any';
}
