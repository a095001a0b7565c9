import type { QueryClient } from '@tanstack/react-query';
import { identityPageQuery } from '../api/identities.ts';
import { findByExternalId } from '../api/identities-record.ts';
import { pageQuestion } from '../features/identities/list/list-address.ts';
import { identityIdIn } from '../wording/identity-id.ts';

/**
 * The one person whom a text names: by the identity's id, by what they sign in with, or by their external id.
 * @returns the address of their page; undefined for nobody or several, and when it cannot be told: the list's own search
 * then shows which
 */
export async function findIdentity(text: string, queryClient: QueryClient): Promise<string | undefined> {
  const id = identityIdIn(text);
  if (id !== undefined) return addressOf(id);
  try {
    // The list's own question, so that the list does not ask it again.
    const page = await queryClient.fetchQuery(identityPageQuery(pageQuestion({ identifier: text }, [])));
    const [only, ...others] = page.identities;
    if (only !== undefined) return others.length === 0 && !page.has_more ? addressOf(only.id) : undefined;
    return addressOf((await findByExternalId(text)).id);
  } catch {
    return undefined;
  }
}

const addressOf = (id: string): string => `/identities/${id}`;
