import { identifierOf, type MarksBySchema, marksFor, nameOf } from '../../../shared/identity-name.ts';
import { membersOf } from '../../../shared/json.ts';
import type { OperatorName } from '../../../shared/security.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import { UpstreamFailure } from '../../upstream/upstream-failure.ts';

const WITHIN_MS = 4_000;
const AT_ONCE = 8;
/** Kratos' maximum page size, which also limits a query by ids. */
const PAGE_SIZE = 500;
/** Fits such a page with large traits. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_CHARACTERS = 255;

export const nameless = (identity_id: string): OperatorName => ({ identity_id, name: null, email: null });

/**
 * The names of the identities that exist among these ids (in lower case): in one request, or one by one if the store
 * cannot list by id.
 * @param elapsed milliseconds
 * @throws UpstreamFailure
 */
export async function readNames(
  store: IdentityStore,
  ids: readonly string[],
  elapsed: () => number,
): Promise<Map<string, OperatorName>> {
  const deadline = elapsed() + WITHIN_MS;
  const limits = () => ({ maxBytes: MAX_BYTES, timeoutMs: Math.max(1, Math.floor(deadline - elapsed())) });
  const listed = await store.list('/admin/identities', { ids, page_size: PAGE_SIZE }, limits()).catch((error) => {
    if (error instanceof UpstreamFailure && error.answer?.status === 400) return undefined;
    throw error;
  });
  const marks = await store.marks();
  const names = listed?.items.map((identity) => nameIn(identity, marks));
  // An older Kratos ignores the ids and lists arbitrary identities.
  if (names?.every(({ identity_id }) => ids.includes(identity_id))) return byId(names);

  const found: OperatorName[] = [];
  const waiting = ids[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (const id of waiting) {
      const identity = await store.identity(id, [], limits());
      if (identity !== undefined) found.push(nameIn({ ...identity, schema_id: identity.schemaId }, marks));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return byId(found);
}

/** @throws UpstreamFailure */
export async function findNames(store: IdentityStore, identifier: string): Promise<OperatorName[]> {
  const query = { credentials_identifier: identifier, page_size: PAGE_SIZE };
  const { items } = await store.list('/admin/identities', query, { maxBytes: MAX_BYTES });
  const marks = await store.marks();
  return items.map((identity) => nameIn(identity, marks));
}

const byId = (names: readonly OperatorName[]) => new Map(names.map((name) => [name.identity_id, name]));

/** Traits are written by their owner: only what looks like an email address is used as one. */
function nameIn(identity: unknown, known: MarksBySchema): OperatorName {
  const { id, schema_id, traits: given } = membersOf(identity);
  if (typeof id !== 'string') throw new UpstreamFailure('nonsense');
  const traits = membersOf(given);
  const marks = marksFor(known, schema_id);
  const { email } = traits;
  const address = [email, identifierOf(traits, marks)].find(isAddress) ?? null;
  return {
    identity_id: id.toLowerCase(),
    name: short(nameOf(traits, marks) ?? (address === null ? identifierOf(traits, marks) : undefined)),
    email: short(address ?? undefined),
  };
}

const isAddress = (text: unknown): text is string => typeof text === 'string' && /^[^\s@]+@[^\s@]+$/.test(text);

const short = (text: string | undefined): string | null =>
  text === undefined || text.length > MAX_CHARACTERS ? null : text;
