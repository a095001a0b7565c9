import type { Role } from '../../shared/capabilities.ts';
import { OPERATOR_SCHEMA_ID } from './deployment-settings.ts';
import type { IdentityDocument } from './identity-service/identities/identity-document.ts';
import { hashPassword } from './passwords.ts';
import type { Random } from './seeds/random.ts';

export interface Operator {
  email: string;
  password: string;
  role: Role;
}

/** Who can sign in to the dashboard of a new sandbox. The passwords are public: it listens on loopback only. */
export const OPERATORS: readonly (Operator & { name: string })[] = [
  { email: 'admin@example.com', password: 'sandbox-admin', role: 'admin', name: 'Noor de Vries' },
  { email: 'viewer@example.com', password: 'sandbox-viewer', role: 'viewer', name: 'Kwame Mensah' },
];

/** The operators' identities, created at a given time (ISO 8601). */
export function operatorIdentities(random: Random, at: string): Promise<IdentityDocument[]> {
  const salted = OPERATORS.map((operator) => ({ ...operator, salt: random.bytes(16) }));
  return Promise.all(
    salted.map(async ({ email, password, role, name, salt }) => {
      const address = { value: email, via: 'email', created_at: at, updated_at: at };
      const dates = { created_at: at, updated_at: at };
      const config = { hashed_password: await hashPassword(password, salt) };
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
    }),
  );
}
