import type { StoredPage } from '../../../api/identity-batches.ts';
import type { CheckedIdentity, IdentityChecker } from './check-identity.ts';
import { EXTERNAL } from './duplicates.ts';

/** Where people may exist already. */
export interface PeopleStore {
  /** Null where it is not known. */
  total(): Promise<number | null>;
  /** Each call leaves an audit record. */
  hasIdentifier(identifier: string): Promise<boolean>;
  hasExternalId(id: string): Promise<boolean>;
  page(token: string | undefined, signal: AbortSignal): Promise<StoredPage>;
}

/** So few are asked for one by one; for more of them, the store is read. */
const ASKED_MAX = 50;
/** A larger store would take minutes to read. */
const READ_MAX = 100_000;

/**
 * The lines whose people the store has already, by sign-in and external id; undefined if too many would have to be
 * read. Nothing is sent.
 */
export async function existingPeople(
  identities: AsyncIterable<CheckedIdentity>,
  takenBy: IdentityChecker['takenBy'],
  store: PeopleStore,
  signal: AbortSignal,
): Promise<ReadonlySet<number> | undefined> {
  const lines = new Map<string, number>();
  for await (const { identity, line } of identities) {
    signal.throwIfAborted();
    for (const [, taken] of takenBy(identity)) if (!lines.has(taken)) lines.set(taken, line);
  }
  const found = new Set<number>();
  const note = (taken: string): void => {
    const line = lines.get(taken);
    if (line !== undefined) found.add(line);
  };
  if (lines.size <= ASKED_MAX) {
    for (const [taken, line] of lines) {
      signal.throwIfAborted();
      if (found.has(line)) continue;
      const isExternal = taken.startsWith(EXTERNAL);
      if (await (isExternal ? store.hasExternalId(taken.slice(EXTERNAL.length)) : store.hasIdentifier(taken)))
        note(taken);
    }
    return found;
  }
  if (((await store.total()) ?? READ_MAX) > READ_MAX) return undefined;
  let token: string | undefined;
  let read = 0;
  do {
    const page = await store.page(token, signal);
    for (const identity of page.rows) for (const [, taken] of takenBy(identity)) note(taken);
    read += page.rows.length;
    if (page.next !== undefined && (page.next === token || read > READ_MAX)) return undefined;
    token = page.next;
  } while (token !== undefined);
  return found;
}
