import { ROLES } from '../../shared/capabilities.ts';
import type { Deployment } from '../../shared/deployment.ts';
import type { IdentitySchema, JsonSchema } from './identity-service/identities/schema-extension.ts';

export interface Ports {
  identityPublic: number;
  identityAdmin: number;
  oauthPublic: number;
  oauthAdmin: number;
}

/** What differs between the sandboxes of the two deployments. */
export interface DeploymentSettings {
  title: string;
  ports: Ports;
  /** The first is the default for new identities. */
  schemas: readonly [IdentitySchema, ...IdentitySchema[]];
}

const EMAIL: JsonSchema = {
  type: 'string',
  format: 'email',
  title: 'E-mail',
  maxLength: 255,
  'ory.sh/kratos': {
    credentials: { password: { identifier: true } },
    verification: { via: 'email' },
    recovery: { via: 'email' },
  },
};
/** Mailed codes and security keys besides the password: Kratos then lists both for everyone. */
const EMAIL_OF_EMPLOYEES: JsonSchema = {
  ...EMAIL,
  'ory.sh/kratos': {
    credentials: {
      password: { identifier: true },
      code: { identifier: true, via: 'email' },
      webauthn: { identifier: true },
    },
    verification: { via: 'email' },
    recovery: { via: 'email' },
  },
};
const NAME: JsonSchema = {
  type: 'object',
  title: 'Name',
  properties: {
    first: { type: 'string', title: 'First name', maxLength: 100 },
    last: { type: 'string', title: 'Last name', maxLength: 100 },
  },
  additionalProperties: false,
};

const schema = (
  id: string,
  title: string,
  properties: Record<string, JsonSchema>,
  required: string[],
): IdentitySchema => ({
  id,
  schema: {
    $id: `https://schemas.example.com/${id}.schema.json`,
    $schema: 'http://json-schema.org/draft-07/schema#',
    title,
    type: 'object',
    properties: { traits: { type: 'object', properties, required, additionalProperties: false } },
    additionalProperties: true,
  },
});

const OPERATOR = schema(
  'operator',
  'Dashboard operator',
  {
    email: EMAIL,
    name: { type: 'string', title: 'Full name', maxLength: 200 },
    role: { type: 'string', title: 'Dashboard role', enum: [...ROLES] },
  },
  ['email', 'role'],
);

const USERNAME: JsonSchema = {
  type: 'string',
  title: 'Username',
  maxLength: 255,
  'ory.sh/kratos': { credentials: { password: { identifier: true } } },
};

export const DEPLOYMENT_SETTINGS: Record<Deployment, DeploymentSettings> = {
  customer: {
    title: 'Customer identity',
    ports: { identityPublic: 4433, identityAdmin: 4434, oauthPublic: 4444, oauthAdmin: 4445 },
    schemas: [
      schema(
        'customer',
        'Customer',
        {
          email: EMAIL,
          name: NAME,
          phone: { type: 'string', title: 'Phone', pattern: '^\\+[0-9]{6,15}$' },
          locale: { type: 'string', title: 'Language', minLength: 2, maxLength: 10 },
          newsletter: { type: 'boolean', title: 'Receives the newsletter', default: false },
        },
        ['email'],
      ),
      schema(
        'partner',
        'Partner',
        {
          email: EMAIL,
          username: USERNAME,
          name: NAME,
          company: { type: 'string', title: 'Company', minLength: 1, maxLength: 200 },
          tier: { type: 'string', title: 'Tier', enum: ['bronze', 'silver', 'gold'] },
          seats: { type: 'integer', title: 'Seats', minimum: 1, maximum: 10_000 },
        },
        ['email', 'company'],
      ),
      OPERATOR,
    ],
  },
  workforce: {
    title: 'Workforce identity',
    ports: { identityPublic: 5433, identityAdmin: 5434, oauthPublic: 5444, oauthAdmin: 5445 },
    schemas: [
      schema(
        'employee',
        'Employee',
        {
          email: EMAIL_OF_EMPLOYEES,
          username: USERNAME,
          name: NAME,
          department: { type: 'string', title: 'Department', maxLength: 100 },
          office: { type: 'string', title: 'Office', maxLength: 100 },
          employee_number: { type: 'integer', title: 'Employee number', minimum: 1 },
        },
        ['email', 'employee_number'],
      ),
      schema(
        'contractor',
        'Contractor',
        {
          email: EMAIL,
          name: NAME,
          agency: { type: 'string', title: 'Agency', minLength: 1, maxLength: 200 },
          contract_ends: { type: 'string', format: 'date', title: 'Contract ends' },
        },
        ['email', 'agency'],
      ),
      OPERATOR,
    ],
  },
};

/** Operators sign in to the dashboard; no other schema may carry their role. */
export const OPERATOR_SCHEMA_ID = OPERATOR.id;
