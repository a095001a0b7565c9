import type { OperatorName } from '../../../shared/security.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import { UpstreamFailure } from '../../upstream/upstream-failure.ts';
import { findNames, nameless, readNames } from './read-names.ts';

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

type Naming = Promise<Map<string, OperatorName>>;

const REMEMBER_MS = 60_000;
const REMEMBERED_MAX = 1_000;

/** @param elapsed milliseconds on a monotonic clock */
export function operatorNames(store: IdentityStore | undefined, elapsed: () => number): OperatorNaming {
  /** Which response holds an operator's name; pending ones count, so that no id is requested twice. */
  const remembered = new Map<string, { naming: Naming; until: number }>();

  function remember(id: string, naming: Naming): void {
    const entry = { naming, until: Number.POSITIVE_INFINITY };
    remembered.delete(id);
    const oldest = remembered.keys().next();
    if (remembered.size >= REMEMBERED_MAX && !oldest.done) remembered.delete(oldest.value);
    remembered.set(id, entry);
    const keepFor = (ms: number): void => {
      entry.until = elapsed() + ms;
    };
    naming.then(
      () => keepFor(REMEMBER_MS),
      () => keepFor(0),
    );
  }

  function rememberedNaming(id: string): Naming | undefined {
    const entry = remembered.get(id);
    return entry !== undefined && entry.until > elapsed() ? entry.naming : undefined;
  }

  return {
    async names(ids) {
      if (store === undefined) return ids.map(nameless);
      const namings = new Map(ids.map((id) => [id, rememberedNaming(id)]));
      const unknown = [...namings.keys()].filter((id) => namings.get(id) === undefined);
      const request = unknown.length === 0 ? undefined : readNames(store, unknown, elapsed);
      if (request !== undefined) for (const id of unknown) remember(id, request);
      return Promise.all(
        ids.map(async (id) => {
          const naming = (namings.get(id) ?? request)?.catch(() => undefined);
          return (await naming)?.get(id) ?? nameless(id);
        }),
      );
    },
    async find(identifier) {
      if (store === undefined) throw new UpstreamFailure('not_configured');
      return findNames(store, identifier);
    },
  };
}
