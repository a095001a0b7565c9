import type { ClientSearchPage } from '../../../../shared/client-search.ts';
import { type CursorPage, refusedToken } from '../../../api/cursor-page.ts';
import { request } from '../../../api/request.ts';
import { RequestError } from '../../../api/request-error.ts';
import { type ListedClient, listedClient, plainClients } from '../listed-clients.ts';

/** Before the cursors of Hydra's own lists, which mean nothing to the index. */
const PLAIN = /^(name|owner):(.*)$/;

/**
 * Clients with a text in any part of name, owner or client id, found by the index. Where there is none: those whose
 * whole name or owner it is, on pages without `matches`.
 * @param token cursor from the previous page; undefined for the first page
 */
export async function foundClients(
  text: string,
  pageSize: number,
  token: string | undefined,
  signal: AbortSignal,
): Promise<CursorPage<ListedClient>> {
  const [, by, cursor] = PLAIN.exec(token ?? '') ?? [];
  if (by === 'name') return named(text, pageSize, cursor, signal);
  if (by === 'owner') return owned(text, pageSize, cursor, signal);
  const question = new URLSearchParams({ q: text, page_size: String(pageSize) });
  if (token !== undefined) question.set('page_token', token);
  try {
    const answer = await request<ClientSearchPage>(`/api/oauth-clients/search?${question}`, { signal });
    const { complete, clients: read, as_of: asOf } = answer.index;
    return {
      rows: answer.clients.map(listedClient),
      next: answer.next_page_token ?? undefined,
      matches: { total: answer.total, complete, read, asOf },
    };
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== 'search_not_supported') throw error;
    // Of an index that is gone.
    if (token !== undefined) throw refusedToken(error);
    return named(text, pageSize, undefined, signal);
  }
}

/** The last page of those with this name also begins those with this owner. */
async function named(text: string, pageSize: number, token: string | undefined, signal: AbortSignal) {
  const { rows, next } = await plainClients({ client_name: text }, pageSize, token, signal);
  if (next !== undefined) return { rows, next: `name:${next}` };
  const others = await owned(text, pageSize, undefined, signal);
  return { ...others, rows: [...rows, ...others.rows] };
}

async function owned(text: string, pageSize: number, token: string | undefined, signal: AbortSignal) {
  const { rows, next } = await plainClients({ owner: text }, pageSize, token, signal);
  return { rows: rows.filter(({ name }) => name !== text), next: next && `owner:${next}` };
}
