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
