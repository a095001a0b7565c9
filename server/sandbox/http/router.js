import { html, pageNotFound, text } from './answer.js';
export const route = (method, pattern, handle) => ({ method, pattern, handle });
/** Finds the handler of a call; what is not routed answers as Go's router does: 404, or 405 with `Allow`. */
export function routerOf(routes) {
  const compiled = routes.map((entry) => ({ ...entry, expression: expressionOf(entry.pattern) }));
  return (call) => {
    const cleaned = cleanPath(call.path);
    if (cleaned !== call.path) return call.path.startsWith('//') ? pageNotFound() : redirect(call, cleaned);
    const methods = new Set();
    for (const { method, expression, handle } of compiled) {
      const match = expression.exec(call.path);
      if (match === null) continue;
      if (method === '*' || method === call.method || (method === 'GET' && call.method === 'HEAD'))
        return handle({ ...call, params: decoded(match.groups) });
      methods.add(method);
      if (method === 'GET') methods.add('HEAD');
    }
    if (methods.size === 0) return pageNotFound();
    return text(405, 'Method Not Allowed\n', { Allow: [...methods].sort().join(', ') });
  };
}
/** 307 as Go writes it: with a page for those who only read, bare for the rest. */
export function redirect({ method, search }, target) {
  const location = search === '' ? target : `${target}?${search}`;
  if (method !== 'GET' && method !== 'HEAD') return { status: 307, headers: { Location: location } };
  return html(307, `<a href="${location.replaceAll('&', '&amp;')}">Temporary Redirect</a>.\n\n`, {
    Location: location,
  });
}
const expressionOf = (pattern) =>
  new RegExp(
    `^${pattern
      .replaceAll('.', '\\.')
      .replace(/\*$/, '.*')
      .replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`,
  );
/** Doubled slashes and dot segments away; a trailing slash stays. */
function cleanPath(path) {
  if (!/\/\/|\/\.\.?(\/|$)/.test(path)) return path;
  const kept = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}${path.endsWith('/') && kept.length > 0 ? '/' : ''}`;
}
function decoded(groups) {
  const params = {};
  for (const [name, value] of Object.entries(groups ?? {})) {
    try {
      params[name] = decodeURIComponent(value);
    } catch {
      params[name] = value;
    }
  }
  return params;
}
