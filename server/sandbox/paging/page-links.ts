import { encodeQuery } from '../go/query.ts';

/** A page requested by number, the old way. */
export interface PageRequest {
  page: number;
  size: number;
}

export interface PageLimits {
  defaultSize: number;
  maxSize: number;
}

/** Parses `page_size` and `page_token`, else `per_page` and `page`; invalid values are ignored, a size below 1 is 1. */
export function pageRequest(query: URLSearchParams, { defaultSize, maxSize }: PageLimits): PageRequest {
  const byToken = query.has('page_size') || query.has('page_token');
  const asked = Number.parseInt(query.get(byToken ? 'page_size' : 'per_page') ?? '', 10);
  const size = Number.isNaN(asked) ? defaultSize : Math.min(Math.max(asked, 1), maxSize);
  const page = byToken ? offsetOf(query.get('page_token') ?? '') / size : Number.parseInt(query.get('page') ?? '', 10);
  return { page: page > 0 ? Math.floor(page) : 0, size };
}

/**
 * `X-Total-Count` and `Link` as the services write them for numbered pages, including their quirks.
 * @param tokens whether links have `page_size` and `page_token` besides the numbers
 */
export function pageHeaders(
  path: string,
  query: URLSearchParams,
  { page, size }: PageRequest,
  total: number,
  tokens: boolean,
): Record<string, string> {
  const link = (relation: string, per: number, number: number) => {
    const parameters = new URLSearchParams(query);
    parameters.set('page', String(number));
    parameters.set('per_page', String(per));
    if (tokens) {
      parameters.set('page_size', String(per));
      parameters.set('page_token', tokenOf(number * per));
    }
    return `<${path}?${encodeQuery(parameters)}>; rel="${relation}"`;
  };
  const last = total === 0 ? -1 : Math.ceil(total / size) - 1;
  const first = link('first', size, 0);
  const [next, previous] = [link('next', size, page + 1), link('prev', size, page - 1)];
  let links: string[];
  if (total === 0) links = [first, next, previous];
  else if (total <= size) links = [link('first', total, 0)];
  else if (page >= last) links = [first, link('prev', size, last - 1)];
  else if (page === 0) links = [next, link('last', size, last)];
  else links = [first, next, previous, link('last', size, last)];
  return { 'X-Total-Count': String(total), Link: links.join(',') };
}

const tokenOf = (offset: number): string =>
  Buffer.from(JSON.stringify({ offset: String(offset), v: 2 })).toString('base64url');

function offsetOf(token: string): number {
  try {
    return Number((JSON.parse(Buffer.from(token, 'base64url').toString()) as { offset?: string }).offset);
  } catch {
    return 0;
  }
}
