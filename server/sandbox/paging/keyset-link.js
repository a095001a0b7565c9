import { encodeQuery } from '../go/query.js';
/**
 * The `Link` of a keyset-paged list: first, and next where there is one. The request's other parameters are kept.
 * @param path the list's path, without query
 * @param next the token of the next page, or undefined on the last
 */
export function keysetLink(path, query, size, first, next) {
  const link = (token, relation) => {
    const parameters = new URLSearchParams(query);
    parameters.set('page_size', String(size));
    parameters.set('page_token', token);
    return `<${path}?${encodeQuery(parameters)}>; rel="${relation}"`;
  };
  return next === undefined ? link(first, 'first') : `${link(first, 'first')},${link(next, 'next')}`;
}
