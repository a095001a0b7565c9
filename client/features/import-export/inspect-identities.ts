import { pageWalk } from '../../../shared/page-walk.ts';
import type { StoredPage } from '../../api/identity-batches.ts';
import { nameInFile } from '../../lib/identity-name.ts';
import { isState } from './account-state.ts';
import { type CheckedIdentity, EXTERNAL, type UniqueValues } from './check-identity.ts';
import { isDigest, isHashParameter, isPlain, passwordIn } from './file-password.ts';

export type Inspection = Awaited<ReturnType<typeof inspectIdentities>>;

export const FIRST_SHOWN = 20;
const MISTAKES_MAX = 1_000;
const LINES_MAX = 3;
/** A column with more distinct words does not contain states. */
const STATES_MAX = 20;
const DIGESTS_MIN = 5;
const PROGRESS_EVERY = 500;

export async function inspectIdentities(
  identities: AsyncIterable<CheckedIdentity>,
  { signal, onProgress }: { signal?: AbortSignal; onProgress?: (checked: number) => void } = {},
  header: readonly string[] = [],
) {
  const inspection = {
    total: 0,
    invalid: 0,
    /** Invalid identities that only the check in this browser rejects. */
    overridable: 0,
    /** Identities whose traits could not be checked against their schema here. */
    notCheckedHere: 0,
    first: [] as CheckedIdentity[],
    /** Valid identities with a plaintext password. */
    withPassword: 0,
    withHash: 0,
    withOtherCredentials: 0,
    inactive: 0,
  };
  const leftOut = new Set<string>();
  const states = new Set<string>();
  const mistakes = new Map<string, { problem: string; count: number; lines: number[]; who: string }>();
  let plain = 0;
  let digests = 0;
  for await (const checked of identities) {
    signal?.throwIfAborted();
    inspection.total += 1;
    const password = passwordIn(checked.identity);
    if (isPlain(password)) plain += 1;
    if (isDigest(password)) digests += 1;
    if (checked.notCheckedHere) inspection.notCheckedHere += 1;
    if (inspection.first.length < FIRST_SHOWN) inspection.first.push(checked);
    if (checked.problems.length > 0) {
      inspection.invalid += 1;
      if (checked.overridable) inspection.overridable += 1;
      for (const problem of new Set(checked.problems)) note(problem, checked);
    } else {
      if (isPlain(password)) inspection.withPassword += 1;
      else if (password !== undefined) inspection.withHash += 1;
      else if (checked.identity.credentials !== undefined) inspection.withOtherCredentials += 1;
      if (checked.identity.state === 'inactive') inspection.inactive += 1;
    }
    for (const name of checked.leftOut) leftOut.add(name);
    const { state } = checked.identity;
    if (typeof state === 'string' && !isState(state) && states.size < STATES_MAX) states.add(state);
    if (inspection.total % PROGRESS_EVERY === 0) onProgress?.(inspection.total);
  }
  return {
    ...inspection,
    /** The most frequent first. Once there are very many, new ones are dropped. */
    mistakes: [...mistakes.values()].sort((a, b) => b.count - a.count),
    leftOut: [...leftOut],
    unknownStates: [...states],
    /** Whether passwords may be hashes: several look like it, or a salt is beside them. */
    hasDigests: digests >= DIGESTS_MIN || (plain > 0 && header.some(isHashParameter)),
  };

  function note(problem: string, { line, identity }: CheckedIdentity): void {
    let mistake = mistakes.get(problem);
    if (mistake === undefined) {
      if (mistakes.size >= MISTAKES_MAX) return;
      mistake = { problem, count: 0, lines: [], who: nameInFile(identity) };
      mistakes.set(problem, mistake);
    }
    mistake.count += 1;
    if (mistake.lines.length < LINES_MAX) mistake.lines.push(line);
  }
}

export interface StoredIdentities {
  total(): Promise<number | null>;
  /** Each call leaves an audit record. */
  hasIdentifier(identifier: string): Promise<boolean>;
  hasExternalId(id: string): Promise<boolean>;
  page(token: string | undefined, signal: AbortSignal): Promise<StoredPage>;
}

/** Looks up at most this many values one by one; for more, reads the whole store. */
const LOOKUPS_MAX = 50;
/** Reading a larger store would take minutes. */
const READ_MAX = 100_000;
const PAGES = 1_000;

/**
 * Lines of identities that already exist, by identifier or external id. Undefined if the store is too large to read.
 * @throws EndlessList
 */
export async function existingIdentities(
  identities: AsyncIterable<CheckedIdentity>,
  uniqueValues: UniqueValues,
  store: StoredIdentities,
  signal: AbortSignal,
): Promise<ReadonlySet<number> | undefined> {
  const lines = new Map<string, number>();
  for await (const { identity, line } of identities) {
    signal.throwIfAborted();
    for (const [, value] of uniqueValues(identity)) if (!lines.has(value)) lines.set(value, line);
  }
  const found = new Set<number>();
  if (lines.size <= LOOKUPS_MAX) {
    for (const [value, line] of lines) {
      signal.throwIfAborted();
      if (found.has(line)) continue;
      const isExternal = value.startsWith(EXTERNAL);
      if (await (isExternal ? store.hasExternalId(value.slice(EXTERNAL.length)) : store.hasIdentifier(value)))
        found.add(line);
    }
    return found;
  }
  if (((await store.total()) ?? READ_MAX) > READ_MAX) return undefined;
  const walk = pageWalk(PAGES);
  let read = 0;
  for (let isMore = true; isMore; ) {
    const page = await store.page(walk.token, signal);
    for (const [, value] of page.rows.flatMap(uniqueValues)) {
      const line = lines.get(value);
      if (line !== undefined) found.add(line);
    }
    read += page.rows.length;
    isMore = walk.next(page.rows.length, page.next);
    if (isMore && read > READ_MAX) return undefined;
  }
  return found;
}
