import type { ListedIdentity } from '../../shared/identities.ts';
import { identifierOf, nameOf } from '../../shared/identity-name.ts';
import { isObject } from '../../shared/json.ts';

/** Whoever is in a file: there are no ids yet. Empty where nothing tells. */
export const calledInFile = ({ traits, external_id }: Record<string, unknown>): string =>
  (isObject(traits) && (identifierOf(traits) ?? nameOf(traits))) ||
  (typeof external_id === 'string' ? external_id : '');

/** What an identity is called where it cannot be pointed at. */
export const calledAs = ({ id, traits }: Pick<ListedIdentity, 'id' | 'traits'>): string =>
  identifierOf(traits) ?? nameOf(traits) ?? id;
