import type { IncomingHttpHeaders } from 'node:http';
import { attempt } from '../../shared/json.ts';
import { failureOfStatus, UpstreamFailure } from './failure.ts';
import { type BodyBudget, type ObserveRequest, type UpstreamRequest, upstreamFetch } from './fetch.ts';

export interface AdminClientOptions {
  /** Base URL without trailing slash; if undefined, every request fails as `not_configured`. */
  url: string | undefined;
  /** The `Authorization` header; undefined without a key. If it rejects, requests fail as `key_unreadable`. */
  authorization: () => Promise<string | undefined>;
  timeoutMs: number;
  /** Memory shared by all responses; without it, only each response is limited. */
  budget?: BodyBudget | undefined;
  observe?: ObserveRequest | undefined;
}

/** An array is a repeated parameter; undefined values are omitted. */
type AdminQuery = Record<string, string | number | readonly string[] | undefined>;

/** The time limit is the client's own by default. */
export type AdminLimits = Partial<Pick<UpstreamRequest, 'maxBytes' | 'timeoutMs' | 'signal'>>;

export type AdminClient = ReturnType<typeof adminClient>;

/** Requests to the admin API of Kratos or Hydra. Every method rejects with an UpstreamFailure. */
export function adminClient({ url, authorization, timeoutMs, budget, observe }: AdminClientOptions) {
  /** The response to a request, whatever its status. @param body sent as JSON */
  async function send(path: string, limits: AdminLimits = {}, method: 'GET' | 'POST' | 'PUT' = 'GET', body?: object) {
    if (url === undefined) throw new UpstreamFailure('not_configured');
    const key = await authorization().catch((cause: unknown) => {
      throw new UpstreamFailure('key_unreadable', { cause });
    });
    return upstreamFetch(url + path, {
      method,
      headers: {
        accept: 'application/json',
        ...(key === undefined ? {} : { authorization: key }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...limits,
      timeoutMs: limits.timeoutMs ?? timeoutMs,
      budget,
      observe,
    });
  }

  /**
   * The body of a 200 as text.
   * @param path from the root, `/admin/…`; values in it must be encoded by the caller
   */
  async function text(path: string, query: AdminQuery = {}, limits: AdminLimits = {}) {
    const response = await send(path + search(query), limits);
    if (response.status !== 200) throw failureOfStatus(response);
    return {
      text: response.text,
      /** Size of the response body. */
      bytes: response.bytes,
      nextPageToken: nextPageToken(response.headers.link),
      /** The total number of entries, if the upstream reports it (`X-Total-Count`). */
      totalCount: totalCount(response.headers),
    };
  }

  /** The body of a 200, parsed as JSON. */
  async function get(path: string, query?: AdminQuery, limits?: AdminLimits) {
    const { text: json, ...rest } = await text(path, query, limits);
    const body: unknown = attempt(() => JSON.parse(json));
    // Without the parser's error as its cause, since its message quotes the response.
    if (body === undefined) throw new UpstreamFailure('nonsense');
    return { body, ...rest };
  }

  async function list(path: string, query?: AdminQuery, limits?: AdminLimits) {
    const { body, ...rest } = await get(path, query, limits);
    if (!Array.isArray(body)) throw new UpstreamFailure('nonsense');
    return { items: body as readonly unknown[], ...rest };
  }

  return { send, text, get, list };
}

function search(query: AdminQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) parameters.append(name, String(one));
  return parameters.size === 0 ? '' : `?${parameters}`;
}

/** The cursor of `rel="next"` (RFC 8288). Only its token is used; the upstream's address is never followed. */
function nextPageToken(link: string | string[] | undefined): string | undefined {
  const next = /<([^<>]*)>\s*;[^,<]*\brel="?next"?/.exec(String(link ?? ''))?.[1];
  if (next === undefined || !URL.canParse(next, 'http://upstream')) return undefined;
  return new URL(next, 'http://upstream').searchParams.get('page_token') || undefined;
}

function totalCount(headers: IncomingHttpHeaders): number | undefined {
  const header = String(headers['x-total-count'] ?? '');
  return /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}
