import { membersOf } from '../../../../shared/json.ts';
import { rolesOf } from '../../../platform/operator-schema.ts';
import { adminClient } from '../../../upstream/admin-client.ts';
import type { OperatorSchema } from './operators.ts';

const TIMEOUT_MS = 4_000;
/** Each holds a whole JSON schema. */
const LIMITS = { maxBytes: 8 * 1024 * 1024, timeoutMs: TIMEOUT_MS };

/**
 * The schemas of the operators' store, from its public API, to which the admin API redirects.
 * @param publicUrl if undefined, the schemas are unknown
 * @returns undefined if they cannot be read
 */
export function operatorSchemas(publicUrl: string | undefined): () => Promise<OperatorSchema[] | undefined> {
  const client = adminClient({ url: publicUrl, timeoutMs: TIMEOUT_MS, authorization: async () => undefined });
  return async () => {
    if (publicUrl === undefined) return undefined;
    const schemas = await client.list('/schemas', { per_page: 500 }, LIMITS).catch(() => undefined);
    return schemas?.items.map((item) => {
      const { id, schema } = membersOf(item);
      return { id: String(id), roles: rolesOf(schema) };
    });
  };
}
