import { ROLES, type Role } from './capabilities.ts';
import { identifierOf, type MarksBySchema, marksFor } from './identity-name.ts';
import { isUuid, membersOf, text, timeOf } from './json.ts';
import { fold, isFoundBy, wordsOf } from './text.ts';

/** All that the index can search. Times are in milliseconds since the epoch, 0 if the store does not report them. */
export interface IdentityEntry {
  id: string;
  schemaId: string;
  active: boolean;
  /** Whether one of the addresses is verified; undefined if there are none. */
  verified: boolean | undefined;
  createdAt: number;
  updatedAt: number;
  /** The identifier that lists show, folded; empty if there is none. */
  identifier: string;
  /** The operator's role; empty for everyone else. */
  role: Role | '';
  /** The searchable words, as `wordsOf` returns them. */
  words: readonly string[];
}

const TEXTS = 32;
const TEXT_CHARACTERS = 256;
const ALL_CHARACTERS = 2_000;
const DEPTH = 8;

/** @returns undefined if it is not an identity */
export function identityEntry(identity: unknown, marks: MarksBySchema = {}): IdentityEntry | undefined {
  const fields = membersOf(identity);
  const id = text(fields['id']);
  if (!isUuid(id)) return undefined;
  const schemaId = text(fields['schema_id']);
  const verifiable = values(fields['verifiable_addresses']);
  const identifier = identifierOf(membersOf(fields['traits']), marksFor(marks, schemaId)) ?? '';
  return {
    id: id.toLowerCase(),
    schemaId,
    active: fields['state'] === 'active',
    verified:
      verifiable.length === 0 ? undefined : verifiable.some((address) => membersOf(address)['verified'] === true),
    createdAt: timeOf(fields['created_at']),
    updatedAt: timeOf(fields['updated_at']),
    // Folding may make it many times longer, and a page token has to have room for it.
    identifier: fold(identifier.slice(0, TEXT_CHARACTERS)).slice(0, TEXT_CHARACTERS),
    role: ROLES.find((role) => role === membersOf(fields['traits'])['role']) ?? '',
    words: wordsOf(
      textsOf(
        [identifier, ...[...verifiable, ...values(fields['recovery_addresses'])].map(addressOf)],
        fields['traits'],
      ),
    ),
  };
}

/** The searchable texts without duplicates, limited in number and length. */
function textsOf(first: readonly string[], traits: unknown): Set<string> {
  const texts = new Set<string>();
  let left = ALL_CHARACTERS;
  const add = (text: string): void => {
    if (texts.size >= TEXTS || left <= 0) return;
    const beginning = text.slice(0, Math.min(TEXT_CHARACTERS, left));
    if (beginning.trim() === '' || texts.has(beginning)) return;
    texts.add(beginning);
    left -= beginning.length;
  };
  for (const text of first) add(text);
  const walk = (value: unknown, depth: number): void => {
    if (typeof value === 'string') add(value);
    else if (typeof value === 'object' && value !== null && depth < DEPTH)
      for (const member of Object.values(value)) walk(member, depth + 1);
  };
  walk(traits, 0);
  return texts;
}

const values = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []);

const addressOf = (address: unknown): string => text(membersOf(address)['value']);

/** `from` is inclusive, `to` exclusive; milliseconds since the epoch. */
export interface Period {
  from?: number | undefined;
  to?: number | undefined;
}

/** A search for identities in the index; absent members do not filter. */
export interface EntryFilter {
  words?: readonly string[] | undefined;
  active?: boolean | undefined;
  schemaId?: string | undefined;
  verified?: boolean | undefined;
  created?: Period | undefined;
  updated?: Period | undefined;
}

export function fits(entry: IdentityEntry, filter: EntryFilter): boolean {
  const { words, active, schemaId, verified, created, updated, ...others } = filter;
  // A filter that is missing here would match everybody.
  others satisfies Record<string, never>;
  return (
    (words === undefined || isFoundBy(entry.words, words)) &&
    (active === undefined || entry.active === active) &&
    (schemaId === undefined || entry.schemaId === schemaId) &&
    (verified === undefined || (entry.verified === true) === verified) &&
    isWithin(entry.createdAt, created) &&
    isWithin(entry.updatedAt, updated)
  );
}

const isWithin = (time: number, { from, to }: Period = {}): boolean =>
  (from === undefined || time >= from) && (to === undefined || time < to);
