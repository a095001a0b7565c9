import {
  identifierOf as identifierIn,
  type MarksBySchema,
  marksFor,
  nameOf as nameIn,
} from '../../shared/identity-name.ts';
import { isUuid, membersOf, text } from '../../shared/json.ts';
import { bareIdentifier } from '../../shared/text.ts';
import { shortened } from './visible-text.ts';

/** The members that a name is derived from. Rows of a list have no schema. */
type Named = { traits?: unknown; schema_id?: unknown };

/** Which traits the schemas mark as names and identifiers; empty until the schemas load. */
let marksBySchema: MarksBySchema = {};

/** From now on, names are derived with these marks. */
export function learnMarks(marks: MarksBySchema): void {
  marksBySchema = marks;
}

export const identifierOf = ({ traits, schema_id }: Named): string | undefined =>
  identifierIn(membersOf(traits), marksFor(marksBySchema, schema_id));

export const nameOf = ({ traits, schema_id }: Named): string | undefined =>
  nameIn(membersOf(traits), marksFor(marksBySchema, schema_id));

/** Name of an identity that has no id yet, from a file to import. Empty for an unnamed identity. */
export const nameInFile = (identity: Record<string, unknown>): string =>
  identifierOrName(identity) ?? text(identity.external_id);

export const displayName = (identity: Named & { id: string }): string => identifierOrName(identity) ?? identity.id;

/** Name of an identity in titles and toasts. */
export const shortName = (identity: Named & { id: string }): string =>
  shortened(nameOf(identity) ?? displayName(identity));

/** A login identifier, otherwise a name; undefined if there is neither. */
export const identifierOrName = (identity: Named): string | undefined => identifierOf(identity) ?? nameOf(identity);

/** The identity id in pasted text (any case, with signs around it, or the address of the identity's page), if any. */
export function identityIdIn(text: string): string | undefined {
  const bare = bareIdentifier(text).toLowerCase();
  return isUuid(bare) ? bare : undefined;
}
