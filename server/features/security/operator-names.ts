import type { OperatorName } from '../../../shared/security.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import { UpstreamFailure } from '../../upstream/upstream-failure.ts';
import { findNames, nameless, readNames } from './read-names.ts';
import { rememberedNames } from './remembered-names.ts';

/** Operators' names, read from the store when they are displayed: no audit record holds a name. */
export interface OperatorNaming {
  /**
   * For at most 100 ids in lower case, in their order. Without a name if the identity is unknown, or the store is
   * missing or unavailable.
   */
  names(ids: readonly string[]): Promise<OperatorName[]>;
  /**
   * Operators whose identifier matches exactly, as the store compares it.
   * @throws UpstreamFailure also if there is no store
   */
  find(identifier: string): Promise<OperatorName[]>;
}

/** @param elapsed milliseconds on a monotonic clock */
export function operatorNames(store: IdentityStore | undefined, elapsed: () => number): OperatorNaming {
  const remembered =
    store === undefined ? undefined : rememberedNames((ids) => readNames(store, ids, elapsed), elapsed);
  return {
    async names(ids) {
      const names = await remembered?.(ids);
      return ids.map((id, index) => names?.[index] ?? nameless(id));
    },
    async find(identifier) {
      if (store === undefined) throw new UpstreamFailure('not_configured');
      return findNames(store, identifier);
    },
  };
}
