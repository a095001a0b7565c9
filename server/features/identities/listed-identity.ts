import type { ListedIdentity } from '../../../shared/identities.ts';
import { membersOf } from '../../../shared/json.ts';
import { UpstreamFailure } from '../../upstream/upstream-failure.ts';

/** Exactly the five fields of docs/api.md#identities, whatever else the store returns. */
export function listedIdentity(identity: unknown): ListedIdentity {
  const { id, traits, state, created_at, updated_at } = membersOf(identity);
  if (typeof id !== 'string') throw new UpstreamFailure('nonsense');
  return {
    id,
    traits: membersOf(traits),
    state: String(state ?? ''),
    created_at: String(created_at ?? ''),
    updated_at: String(updated_at ?? ''),
  };
}
