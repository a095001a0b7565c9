import { ROLES, type Role } from './capabilities.ts';
import { fold } from './fold.ts';
import { identifierOf, type MarksBySchema, marksFor } from './identity-name.ts';
import { membersOf } from './json.ts';
import { wordsOf } from './question-words.ts';
import { timeOf } from './time-of.ts';
import { isUuid } from './uuid.ts';

/**
 * What can be asked of a person, which is what the index keeps. Times are milliseconds since the epoch; 0 if the store
 * does not say.
 */
export interface PersonEntry {
  id: string;
  schemaId: string;
  active: boolean;
  /** Whether one of the addresses is verified; undefined without any. */
  verified: boolean | undefined;
  createdAt: number;
  updatedAt: number;
  /** What the list shows as one, folded; empty if none is known. */
  identifier: string;
  /** An operator's, empty for anybody else. */
  role: Role | '';
  /** Of `wordsOf`: what the person is found by. */
  words: readonly string[];
}

const TEXTS = 32;
const TEXT_CHARACTERS = 256;
const ALL_CHARACTERS = 2_000;
const DEPTH = 8;

/** @returns undefined for what is not an identity */
export function personEntry(identity: unknown, marks: MarksBySchema = {}): PersonEntry | undefined {
  const fields = membersOf(identity);
  const id = fields['id'];
  if (typeof id !== 'string' || !isUuid(id)) return undefined;
  const schemaId = typeof fields['schema_id'] === 'string' ? fields['schema_id'] : '';
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
    identifier: fold(identifier.slice(0, TEXT_CHARACTERS)),
    role: ROLES.find((role) => role === membersOf(fields['traits'])['role']) ?? '',
    words: wordsOf(
      textsOf(
        [identifier, ...[...verifiable, ...values(fields['recovery_addresses'])].map(addressOf)],
        fields['traits'],
      ),
    ),
  };
}

/** Each once, of bounded length. */
function textsOf(first: readonly (string | undefined)[], traits: unknown): Set<string> {
  const texts = new Set<string>();
  let left = ALL_CHARACTERS;
  const add = (text: string): void => {
    if (texts.size >= TEXTS || left <= 0) return;
    const some = text.slice(0, Math.min(TEXT_CHARACTERS, left));
    if (some.trim() === '' || texts.has(some)) return;
    texts.add(some);
    left -= some.length;
  };
  for (const text of first) if (text !== undefined) add(text);
  const walk = (value: unknown, depth: number): void => {
    if (typeof value === 'string') add(value);
    else if (typeof value === 'object' && value !== null && depth < DEPTH)
      for (const member of Object.values(value)) walk(member, depth + 1);
  };
  walk(traits, 0);
  return texts;
}

const values = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []);

function addressOf(address: unknown): string | undefined {
  const { value } = membersOf(address);
  return typeof value === 'string' ? value : undefined;
}
