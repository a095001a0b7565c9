import { isObject } from '../../shared/json.ts';
import { type CursorPage, nextToken } from './cursor-page.ts';
import { identityAdmin, RequestError, request, send } from './request.ts';

/** Result for one identity of a batch. `existing`: it conflicts with a stored one. */
export type BatchOutcome = { outcome: 'created'; id: string } | { outcome: 'existing' | 'failed'; reason: string };

/**
 * Creates identities in one request, each succeeding or failing on its own; results are in order. At most 1,000, of
 * which at most 200 with a plaintext password.
 * @throws RequestError 400 when one of them cannot be decoded: then none is created
 */
export async function createIdentities(identities: readonly Record<string, unknown>[]): Promise<BatchOutcome[]> {
  const body = { identities: identities.map((create) => ({ create })) };
  const answer = await request<unknown>(identityAdmin('/identities'), { method: 'PATCH', body });
  const results = isObject(answer) ? answer.identities : undefined;
  if (!Array.isArray(results) || results.length !== identities.length)
    throw unreadable('The identity service did not return a result for each identity.');
  return results.map(outcomeOf);
}

function outcomeOf(result: unknown): BatchOutcome {
  if (isObject(result) && typeof result.identity === 'string') return { outcome: 'created', id: result.identity };
  const error = isObject(result) && isObject(result.error) ? result.error : {};
  const reason = String(error.reason ?? error.message ?? 'The identity service gave no reason.');
  return { outcome: error.code === 409 ? 'existing' : 'failed', reason };
}

/** Identities as the store returns them. */
export type StoredPage = CursorPage<Record<string, unknown>>;

/** The store allows at most 500. */
const PAGE_SIZE = 250;

/**
 * One page with everything that an export needs: the list endpoint omits schema, metadata and external id.
 * @param parse parses the JSON body
 */
export async function readStoredPage(
  token: string | undefined,
  parse: (text: string) => unknown,
  signal?: AbortSignal,
): Promise<StoredPage> {
  const query = new URLSearchParams({ page_size: String(PAGE_SIZE) });
  if (token !== undefined) query.set('page_token', token);
  return readStored(query, parse, signal);
}

/** More ids would make a `Link` header that is too long: it repeats them. */
export const IDS_AT_ONCE = 100;

/**
 * The identities with these ids, in this order; those that the store does not have are left out.
 * @param ids at most `IDS_AT_ONCE`
 * @param parse parses the JSON body
 */
export async function readStoredByIds(
  ids: readonly string[],
  parse: (text: string) => unknown,
  signal?: AbortSignal,
): Promise<Record<string, unknown>[]> {
  // Without an id, it would be asked for all.
  if (ids.length === 0) return [];
  const query = new URLSearchParams({ page_size: '500' });
  for (const id of ids) query.append('ids', id);
  const { rows } = await readStored(query, parse, signal);
  const found = new Map(rows.map((identity) => [String(identity.id).toLowerCase(), identity]));
  return ids.map((id) => found.get(id.toLowerCase())).filter((identity) => identity !== undefined);
}

async function readStored(
  query: URLSearchParams,
  parse: (text: string) => unknown,
  signal: AbortSignal | undefined,
): Promise<StoredPage> {
  const response = await send(`${identityAdmin('/identities')}?${query}`, { signal });
  const identities = parsed(await response.text(), parse);
  if (!Array.isArray(identities) || !identities.every((identity) => isObject(identity) && 'traits' in identity))
    throw unreadable('The identity service returned something that is not a list of identities.');
  return { rows: identities, next: nextToken(response.headers.get('Link') ?? '') };
}

function parsed(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

const unreadable = (message: string): RequestError =>
  new RequestError({ status: 200, code: 'unreadable_answer', message });
