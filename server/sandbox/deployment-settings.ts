import { type Role, rolesWith } from '../../shared/capabilities.ts';
import type { Deployment } from '../../shared/upstreams.ts';
import { callbackOf, dashboardClient } from '../registration.ts';
import type { IdentityDocument } from './identity-service/identities.ts';
import type { IdentitySchema } from './identity-service/schemas.ts';
import { composeClient } from './oauth-service/client-input.ts';
import type { ClientStore } from './oauth-service/clients.ts';
import { hashPassword } from './passwords.ts';
import schemas from './seeds/identity-schemas.json' with { type: 'json' };
import type { Random } from './seeds/random.ts';

export const DASHBOARD_CLIENT_ID = 'dashboard';

/** Registers the dashboard as a public client, or adds this address to the redirect URIs of an existing one. */
export function registerDashboard(clients: ClientStore, dashboardUrl: string, at: string): void {
  const callback = callbackOf(dashboardUrl);
  const before = clients.find(DASHBOARD_CLIENT_ID);
  if (before === undefined) {
    const input = { ...dashboardClient(DASHBOARD_CLIENT_ID, dashboardUrl), owner: 'platform' };
    const document = composeClient(DASHBOARD_CLIENT_ID, input, at, at);
    clients.write({ document, secretHash: null });
  } else if (!before.document.redirect_uris.includes(callback)) {
    const { document, secretHash } = before;
    const redirect_uris = [...document.redirect_uris, callback];
    clients.write({ document: { ...document, redirect_uris, updated_at: at }, secretHash });
  }
}

export interface SandboxOperator {
  email: string;
  password: string;
  role: Role;
  name: string;
}

/** Who can sign in to the dashboard of a sandbox. The passwords are public: it listens on loopback only. */
const OPERATORS: readonly SandboxOperator[] = [
  { email: 'admin@example.com', password: 'sandbox-admin', role: 'admin', name: 'Noor de Vries' },
  { email: 'viewer@example.com', password: 'sandbox-viewer', role: 'viewer', name: 'Kwame Mensah' },
  { email: 'support@example.com', password: 'sandbox-support', role: 'support', name: 'Mei Tanaka' },
  { email: 'auditor@example.com', password: 'sandbox-auditor', role: 'auditor', name: 'Tomás Reyes' },
];

export const operatorsWith = (roles: readonly Role[]): readonly SandboxOperator[] =>
  OPERATORS.filter(({ role }) => roles.includes(role));

/** The operators' identities, created at a given time (ISO 8601). */
export function operatorIdentities(
  operators: readonly SandboxOperator[],
  random: Random,
  at: string,
): IdentityDocument[] {
  const salted = operators.map((operator) => ({ ...operator, salt: random.bytes(16) }));
  return salted.map(({ email, password, role, name, salt }) => {
    const dates = { created_at: at, updated_at: at };
    const address = { value: email, via: 'email', ...dates };
    const config = { hashed_password: hashPassword(password, salt) };
    return {
      id: random.uuid(),
      credentials: { password: { type: 'password', identifiers: [email], config, version: 0, ...dates } },
      schema_id: OPERATOR_SCHEMA_ID,
      state: 'active' as const,
      state_changed_at: at,
      traits: { email, name, role },
      verifiable_addresses: [
        { id: random.uuid(), ...address, verified: true, status: 'completed' as const, verified_at: at },
      ],
      recovery_addresses: [{ id: random.uuid(), ...address }],
      metadata_public: null,
      metadata_admin: null,
      ...dates,
      organization_id: null,
    };
  });
}

export interface Ports {
  identityPublic: number;
  identityAdmin: number;
  oauthPublic: number;
  oauthAdmin: number;
}

/** Operators sign in to the dashboard; no other schema may carry their role. */
export const OPERATOR_SCHEMA_ID = 'operator';
function operatorSchema(roles: readonly Role[]): IdentitySchema {
  const schema = structuredClone(schemas.operator);
  Object.assign(schema.properties.traits.properties.role, { enum: roles });
  return { id: OPERATOR_SCHEMA_ID, schema };
}

type Schemas = readonly [IdentitySchema, ...IdentitySchema[]];
/** The type of the file has a member for each trait of any schema. */
const { customer, workforce } = schemas as unknown as Record<Deployment, Schemas>;

/** What differs between the sandboxes of the two deployments. The first schema is the default for new identities. */
export const DEPLOYMENT_SETTINGS: Record<Deployment, { title: string; ports: Ports; schemas: Schemas }> = {
  customer: {
    title: 'Customer identity',
    ports: { identityPublic: 4433, identityAdmin: 4434, oauthPublic: 4444, oauthAdmin: 4445 },
    schemas: customer,
  },
  workforce: {
    title: 'Workforce identity',
    ports: { identityPublic: 5433, identityAdmin: 5434, oauthPublic: 5444, oauthAdmin: 5445 },
    schemas: workforce,
  },
};

/** The schemas of a deployment, with that of its operators. */
export const schemasOf = (deployment: Deployment, roles: readonly Role[] = rolesWith([])) =>
  [...DEPLOYMENT_SETTINGS[deployment].schemas, operatorSchema(roles)] as const;
