import type { IncomingHttpHeaders } from 'node:http';
import { failureOfAnswer, UpstreamFailure } from './upstream-failure.ts';
import { upstreamFetch } from './upstream-fetch.ts';

export interface AdminClientOptions {
  /** Base address without trailing slash; without one every question fails as `not_configured`. */
  url: string | undefined;
  /** The ready `Authorization`, or undefined without a key. A rejection is a failure of kind `key_unreadable`. */
  authorization: () => Promise<string | undefined>;
  timeoutMs: number;
}

/** A list is a parameter that is repeated; undefined leaves it out. */
export type AdminQuery = Record<string, string | number | readonly string[] | undefined>;

export interface AdminLimits {
  /** Of the answer; 1 MiB when absent. More is a failure of kind `broken`. */
  maxBytes?: number;
  /** Instead of the client's own. */
  timeoutMs?: number;
}

export interface PageLimits extends AdminLimits {
  maxPages: number;
  sizeAfter?: ((page: AdminPage) => number | undefined) | undefined;
}

export interface AdminAnswer {
  /** The JSON of a 200. */
  body: unknown;
  /** Of the answer's body. */
  bytes: number;
  /** The cursor of the page after this one. */
  nextPageToken: string | undefined;
  /** Entries in all, where the upstream counts them (`X-Total-Count`). */
  totalCount: number | undefined;
}

export interface AdminPage extends Omit<AdminAnswer, 'body'> {
  items: readonly unknown[];
}

/** Questions to the admin API of Kratos or Hydra. Every method rejects with an UpstreamFailure. */
export interface AdminClient {
  /** @param path from the root, `/admin/…`; whoever puts a value into it encodes it */
  get(path: string, query?: AdminQuery, limits?: AdminLimits): Promise<AdminAnswer>;
  /** One page of a list. */
  list(path: string, query?: AdminQuery, limits?: AdminLimits): Promise<AdminPage>;
  /**
   * A list page by page from its first one, the next one asked for when it is wanted.
   * @param limits.maxPages where to stop; the last page then has a `nextPageToken`
   * @param limits.sizeAfter the `page_size` of the page after this one, where it changes; undefined stops
   */
  pages(path: string, query: AdminQuery, limits: PageLimits): AsyncGenerator<AdminPage>;
}

export function adminClient({ url, authorization, timeoutMs }: AdminClientOptions): AdminClient {
  async function usableKey(): Promise<string | undefined> {
    try {
      return await authorization();
    } catch (cause) {
      throw new UpstreamFailure('key_unreadable', { cause });
    }
  }

  async function get(path: string, query: AdminQuery = {}, limits: AdminLimits = {}): Promise<AdminAnswer> {
    if (url === undefined) throw new UpstreamFailure('not_configured');
    const key = await usableKey();
    const answer = await upstreamFetch(url + path + search(query), {
      headers: { accept: 'application/json', ...(key === undefined ? {} : { authorization: key }) },
      timeoutMs: limits.timeoutMs ?? timeoutMs,
      maxBytes: limits.maxBytes,
    });
    if (answer.status !== 200) throw failureOfAnswer(answer);
    return {
      body: parsed(answer.text),
      bytes: answer.bytes,
      nextPageToken: nextPageToken(answer.headers.link, query['page_token']),
      totalCount: totalCount(answer.headers),
    };
  }

  async function list(path: string, query?: AdminQuery, limits?: AdminLimits): Promise<AdminPage> {
    const { body, ...rest } = await get(path, query, limits);
    if (!Array.isArray(body)) throw new UpstreamFailure('nonsense');
    return { items: body, ...rest };
  }

  async function* pages(
    path: string,
    query: AdminQuery,
    { maxPages, sizeAfter, ...limits }: PageLimits,
  ): AsyncGenerator<AdminPage> {
    let { page_size: size } = query;
    let token: string | undefined;
    for (let count = 0; count < maxPages; count += 1) {
      const page = await list(path, { ...query, page_size: size, page_token: token }, limits);
      yield page;
      token = page.nextPageToken;
      if (sizeAfter !== undefined) size = sizeAfter(page);
      if (token === undefined || (sizeAfter !== undefined && size === undefined)) return;
    }
  }

  return { get, list, pages };
}

function search(query: AdminQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) parameters.append(name, String(one));
  return parameters.size === 0 ? '' : `?${parameters}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Without the parser's error: its message quotes the answer.
    throw new UpstreamFailure('nonsense');
  }
}

/**
 * The cursor of `rel="next"` (RFC 8288). Only its token counts: the address is the upstream's own and never followed.
 * One that leads to itself would send a reader round for ever, and is none.
 */
function nextPageToken(link: string | string[] | undefined, current: AdminQuery[string]): string | undefined {
  const next = /<([^<>]*)>\s*;[^,<]*\brel="?next"?/.exec(String(link ?? ''))?.[1];
  if (next === undefined || !URL.canParse(next, 'http://upstream')) return undefined;
  const token = new URL(next, 'http://upstream').searchParams.get('page_token') || undefined;
  return token === current ? undefined : token;
}

function totalCount(headers: IncomingHttpHeaders): number | undefined {
  const header = String(headers['x-total-count'] ?? '');
  return /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}
