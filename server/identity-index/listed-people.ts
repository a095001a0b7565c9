import { fits, type PersonQuestion } from '../../shared/fits.ts';
import type { ListedIdentity } from '../../shared/identities.ts';
import { membersOf } from '../../shared/json.ts';
import { personEntry } from '../../shared/person-entry.ts';

/** A row of a page of identities. */
export interface ListedPerson {
  id: string;
  schemaId: string;
  /** The JSON of exactly the five fields of docs/api.md#identities, whatever else the store returns. */
  json: string;
  /** Whether it fits the filter. */
  isMatch: boolean;
}

/** What rows must fit: the question of a search, or the prefix of one of their identifiers. */
export interface RowFilter {
  question?: PersonQuestion | undefined;
  prefix?: string | undefined;
}

/** @param page the JSON of a list, as the store sent it. @throws SyntaxError */
export function listedPeople(page: string, { question, prefix }: RowFilter): ListedPerson[] {
  const list: unknown = JSON.parse(page);
  if (!Array.isArray(list)) throw new SyntaxError('not a list');
  return list.map((identity): ListedPerson => {
    const { id, schema_id: schemaId, traits, state, created_at, updated_at } = membersOf(identity);
    if (typeof id !== 'string') throw new SyntaxError('not an identity');
    const entry = question && personEntry(identity);
    const listed: ListedIdentity = {
      id,
      traits: membersOf(traits),
      state: String(state ?? ''),
      created_at: String(created_at ?? ''),
      updated_at: String(updated_at ?? ''),
    };
    return {
      id: id.toLowerCase(),
      schemaId: typeof schemaId === 'string' ? schemaId : '',
      json: JSON.stringify(listed),
      isMatch:
        (question === undefined || (entry !== undefined && fits(entry, question))) &&
        (prefix === undefined || hasIdentifierLike(identity, prefix)),
    };
  });
}

/** An object whose first member is the list of these rows: what is parsed elsewhere is not made JSON again here. */
export const pageOf = (rows: readonly string[], rest: object): string =>
  joined(`{"identities":[${rows.join(',')}]}`, rest);

/** The JSON of an object with more members. */
export const joined = (json: string, more: object): string => `${json.slice(0, -1)},${JSON.stringify(more).slice(1)}`;

/** Whether one of its identifiers has the prefix. The store trims and lower-cases the prefix. */
function hasIdentifierLike(identity: unknown, prefix: string): boolean {
  const beginning = folded(prefix);
  return Object.values(membersOf(membersOf(identity)['credentials'])).some((credential) => {
    const { identifiers } = membersOf(credential);
    return Array.isArray(identifiers) && identifiers.some((one) => folded(String(one)).startsWith(beginning));
  });
}

const folded = (text: string): string => text.trim().toLowerCase();
