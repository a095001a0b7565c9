import type { OperatorsMissing } from '../../../shared/security.ts';
import { identityService } from '../../../shared/upstreams.ts';
import type { Config } from '../../config/config.ts';
import { type IdentityIndex, NothingRead } from '../../identity-index/identity-index.ts';
import type { WithRole } from './operators.ts';

/** How the index finds operators, or why it cannot: it holds traits, of the deployment's own store. */
export function operatorsIn(
  index: Pick<IdentityIndex, 'withRole'>,
  { auth, deployment, identityIndex, upstreams }: Pick<Config, 'auth' | 'deployment' | 'identityIndex' | 'upstreams'>,
): WithRole | OperatorsMissing {
  const own = upstreams.find(({ name }) => name === identityService(deployment).adminApi);
  if (own?.url === undefined || own.url !== auth.store.url) return 'other_store';
  if (auth.roleFrom !== 'traits.role') return 'metadata_admin';
  if (identityIndex === 'off') return 'no_index';
  const schemas = Array.isArray(auth.operatorSchemaIds) ? auth.operatorSchemaIds : undefined;
  return (most) =>
    index.withRole(schemas, most).catch((error): OperatorsMissing => {
      if (error instanceof NothingRead) return 'still_reading';
      throw error;
    });
}
