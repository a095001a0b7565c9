import type { OperatorName } from '../../../shared/security.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import { UpstreamFailure } from '../../upstream/upstream-failure.ts';
import { findNames, nameless, readNames } from './read-names.ts';

/** What operators are called, read from the store that holds them when it is shown: no record holds a name. */
export interface OperatorNaming {
  /**
   * Of at most 100 ids in lower case, in their order. Without a store, while it is away, and of whom it does not have,
   * there is the id alone.
   */
  names(ids: readonly string[]): Promise<OperatorName[]>;
  /**
   * Who signs in with exactly this, as the store compares it.
   * @throws UpstreamFailure also where there is no store
   */
  find(identifier: string): Promise<OperatorName[]>;
}

type Naming = Promise<Map<string, OperatorName>>;

const REMEMBER_MS = 60_000;
const REMEMBERED_MAX = 1_000;

/** @param elapsed milliseconds on a monotonic clock */
export function operatorNames(store: IdentityStore | undefined, elapsed: () => number): OperatorNaming {
  /** In which answer somebody's name is; one that is on its way counts as well, so that nobody is asked for twice. */
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
      const asked = unknown.length === 0 ? undefined : readNames(store, unknown, elapsed);
      if (asked !== undefined) for (const id of unknown) remember(id, asked);
      return Promise.all(
        ids.map(async (id) => {
          const naming = (namings.get(id) ?? asked)?.catch(() => undefined);
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
