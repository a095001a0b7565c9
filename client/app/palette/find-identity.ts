import type { QueryClient } from '@tanstack/react-query';
import { PAGE_SIZE_DEFAULT } from '../../../shared/identities.ts';
import { findByExternalId } from '../../api/identities-record.ts';
import { identityPageQuery, plainSearch } from '../../api/identity-list.ts';
import { identityIdIn } from '../../format/identity-id.ts';

/**
 * Finds one identity by its id, login identifier or external id.
 * @returns the path of its page; undefined for none, for several, or when the lookup fails: the list's own search then
 * shows the result
 */
export async function findIdentity(text: string, queryClient: QueryClient): Promise<string | undefined> {
  const id = identityIdIn(text);
  if (id !== undefined) return addressOf(id);
  if (plainSearch(text).prefix !== undefined) return findByBeginning(text, queryClient);
  try {
    const page = await queryClient.fetchQuery(identityPageQuery({ ...FIRST_PAGE, ...plainSearch(text) }));
    const [only, ...others] = page.identities;
    if (only !== undefined) return others.length === 0 && !page.has_more ? addressOf(only.id) : undefined;
    return addressOf((await findByExternalId(text)).id);
  } catch {
    return undefined;
  }
}

/**
 * Finds the one identity with a login identifier that begins like this, with or without a trailing star. Without the
 * star it may also be an external id, if no identifier begins like it. Undefined as above.
 */
export async function findByBeginning(text: string, queryClient: QueryClient): Promise<string | undefined> {
  try {
    const { identities, has_more } = await queryClient.fetchQuery(
      identityPageQuery({ ...FIRST_PAGE, ...plainSearch(`${text}*`) }),
    );
    const [only, ...others] = identities;
    if (only === undefined && !text.endsWith('*')) return addressOf((await findByExternalId(text)).id);
    return only !== undefined && others.length === 0 && !has_more ? addressOf(only.id) : undefined;
  } catch {
    return undefined;
  }
}

const FIRST_PAGE = { pageSize: PAGE_SIZE_DEFAULT, token: undefined };
const addressOf = (id: string): string => `/identities/${id}`;
