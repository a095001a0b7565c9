import type { QueryClient } from '@tanstack/react-query';
import { identityPageQuery } from '../../api/identities.ts';
import { findByExternalId } from '../../api/identities-record.ts';
import { pageParams, searchFor } from '../../features/identities/list/search-params.ts';
import { identityIdIn } from '../../format/identity-id.ts';

/**
 * The one person whom a text names: by the identity's id, by what they sign in with, or by their external id.
 * @returns the address of their page; undefined for nobody or several, and when it cannot be told: the list's own search
 * then shows which
 */
export async function findIdentity(text: string, queryClient: QueryClient): Promise<string | undefined> {
  const id = identityIdIn(text);
  if (id !== undefined) return addressOf(id);
  if (searchFor(text, {}).prefix !== undefined) return findByBeginning(text, queryClient);
  try {
    // The list's own question, so that the list does not ask it again.
    const page = await queryClient.fetchQuery(identityPageQuery(pageParams({ identifier: text }, [])));
    const [only, ...others] = page.identities;
    if (only !== undefined) return others.length === 0 && !page.has_more ? addressOf(only.id) : undefined;
    return addressOf((await findByExternalId(text)).id);
  } catch {
    return undefined;
  }
}

/**
 * The one person who signs in with something that begins like this, with or without its star. Without one it may also be
 * an external id, if nobody begins like it. Undefined as above.
 */
export async function findByBeginning(text: string, queryClient: QueryClient): Promise<string | undefined> {
  try {
    const question = pageParams(searchFor(`${text}*`, {}), []);
    const { identities, has_more } = await queryClient.fetchQuery(identityPageQuery(question));
    const [only, ...others] = identities;
    if (only === undefined && !text.endsWith('*')) return addressOf((await findByExternalId(text)).id);
    return only !== undefined && others.length === 0 && !has_more ? addressOf(only.id) : undefined;
  } catch {
    return undefined;
  }
}

const addressOf = (id: string): string => `/identities/${id}`;
