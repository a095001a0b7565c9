import {
  identifierOf as identifierIn,
  type MarksBySchema,
  marksFor,
  nameOf as nameIn,
} from '../../shared/identity-name.ts';
import { membersOf, text } from '../../shared/json.ts';

/** What is needed of an identity for its name: those of a file have no id, those of a list no schema. */
type Named = { traits?: unknown; schema_id?: unknown };

/** What the schemas mark; nothing until they have been read. */
let known: MarksBySchema = {};

/** Names are read by these marks from now on. */
export function learnMarks(marks: MarksBySchema): void {
  known = marks;
}

/** What somebody signs in with. */
export const identifierOf = ({ traits, schema_id }: Named): string | undefined =>
  identifierIn(membersOf(traits), marksFor(known, schema_id));

/** What somebody is called. */
export const nameOf = ({ traits, schema_id }: Named): string | undefined =>
  nameIn(membersOf(traits), marksFor(known, schema_id));

/** Name of an identity in a file, where there are no ids yet. Empty if it has none. */
export const nameInFile = (identity: Record<string, unknown>): string =>
  personOf(identity) ?? text(identity.external_id);

/** Name of an identity in running text. */
export const displayName = (identity: Named & { id: string }): string => personOf(identity) ?? identity.id;

/** A login identifier, else a name; undefined when neither is known. */
export const personOf = (identity: Named): string | undefined => identifierOf(identity) ?? nameOf(identity);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The identity id in a text pasted from a log (any case, quoted or in braces); otherwise undefined. */
export function identityIdIn(text: string): string | undefined {
  const bare = text
    .trim()
    .replace(/^["'{<(]+|(?<!["'}>),;])["'}>),;]+$/g, '')
    .toLowerCase();
  return UUID.test(bare) ? bare : undefined;
}

/** Whether a text looks like a complete identifier: an id, an e-mail address, `provider:subject` or a number. */
export const mayBeWhole = (text: string): boolean =>
  identityIdIn(text) !== undefined || /[@:]/.test(text) || /^\+?[\d ()/-]{6,}$/.test(text);
