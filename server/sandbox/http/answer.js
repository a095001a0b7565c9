export const json = (status, value, headers = {}) => ({
  status,
  headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(value),
});
export const text = (status, body, headers = {}) => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers },
  body,
});
export const html = (status, body, headers = {}) => ({
  status,
  headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers },
  body,
});
export const empty = (status, headers = {}) => ({ status, headers });
/** What Go's router answers where nothing is routed. */
export const pageNotFound = () => text(404, '404 page not found\n');
