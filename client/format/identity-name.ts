import type { ListedIdentity } from '../../shared/identities.ts';
import { identifierOf, nameOf } from '../../shared/identity-name.ts';
import { isObject } from '../../shared/json.ts';

/** Name of an identity in a file, where there are no ids yet. Empty if it has none. */
export const nameInFile = ({ traits, external_id }: Record<string, unknown>): string =>
  (isObject(traits) && (identifierOf(traits) ?? nameOf(traits))) ||
  (typeof external_id === 'string' ? external_id : '');

/** Name of an identity in running text. */
export const displayName = ({ id, traits }: Pick<ListedIdentity, 'id' | 'traits'>): string =>
  identifierOf(traits) ?? nameOf(traits) ?? id;
