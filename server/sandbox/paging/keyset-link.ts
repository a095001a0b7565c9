import { encodeQuery } from '../go/query.ts';

/**
 * The `Link` header of a keyset-paged list: first, and next if there is one. Other query parameters are kept.
 * @param path the list's path, without query
 * @param next the token of the next page, or undefined on the last
 */
export function keysetLink(
  path: string,
  query: URLSearchParams,
  size: number,
  first: string,
  next: string | undefined,
): string {
  const link = (token: string, relation: string) => {
    const parameters = new URLSearchParams(query);
    parameters.set('page_size', String(size));
    parameters.set('page_token', token);
    return `<${path}?${encodeQuery(parameters)}>; rel="${relation}"`;
  };
  return next === undefined ? link(first, 'first') : `${link(first, 'first')},${link(next, 'next')}`;
}
