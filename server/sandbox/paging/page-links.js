import { encodeQuery } from '../go/query.js';
/** Reads `page_size` and `page_token`, else `per_page` and `page`; what makes no sense is ignored, a size below 1 is 1. */
export function pageRequest(query, { defaultSize, maxSize }) {
  const byToken = query.has('page_size') || query.has('page_token');
  const asked = Number.parseInt(query.get(byToken ? 'page_size' : 'per_page') ?? '', 10);
  const size = Number.isNaN(asked) ? defaultSize : Math.min(Math.max(asked, 1), maxSize);
  const page = byToken ? offsetOf(query.get('page_token') ?? '') / size : Number.parseInt(query.get('page') ?? '', 10);
  return { page: page > 0 ? Math.floor(page) : 0, size };
}
/**
 * `X-Total-Count` and `Link` as the services write them for numbered pages, their oddities included.
 * @param tokens whether the links carry `page_size` and `page_token` beside the numbers
 */
export function pageHeaders(path, query, { page, size }, total, tokens) {
  const link = (relation, per, number) => {
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
  let links;
  if (total === 0) links = [first, next, previous];
  else if (total <= size) links = [link('first', total, 0)];
  else if (page >= last) links = [first, link('prev', size, last - 1)];
  else if (page === 0) links = [next, link('last', size, last)];
  else links = [first, next, previous, link('last', size, last)];
  return { 'X-Total-Count': String(total), Link: links.join(',') };
}
const tokenOf = (offset) => Buffer.from(JSON.stringify({ offset: String(offset), v: 2 })).toString('base64url');
function offsetOf(token) {
  try {
    return Number(JSON.parse(Buffer.from(token, 'base64url').toString()).offset);
  } catch {
    return 0;
  }
}
