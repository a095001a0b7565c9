import { type Answer, html, pageNotFound, text } from './answer.ts';
import type { Call } from './call.ts';

export type Handler = (call: Call) => Answer | Promise<Answer>;

/** In `pattern`, `:name` segments become `call.params`; a final `*` matches everything below. */
export interface Route {
  /** `*` matches any. */
  method: string;
  pattern: string;
  handle: Handler;
}

export const route = (method: string, pattern: string, handle: Handler): Route => ({ method, pattern, handle });

/** Finds the handler of a call; unknown routes get the responses of Go's router: 404, or 405 with `Allow`. */
export function routerOf(routes: readonly Route[]): Handler {
  const compiled = routes.map((entry) => ({ ...entry, expression: expressionOf(entry.pattern) }));
  return (call) => {
    const cleaned = cleanPath(call.path);
    if (cleaned !== call.path) return call.path.startsWith('//') ? pageNotFound() : redirect(call, cleaned);
    const methods = new Set<string>();
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

/** A 307 as Go writes it: with a body for GET and HEAD only. */
export function redirect({ method, search }: Call, target: string): Answer {
  const location = search === '' ? target : `${target}?${search}`;
  if (method !== 'GET' && method !== 'HEAD') return { status: 307, headers: { Location: location } };
  return html(307, `<a href="${location.replaceAll('&', '&amp;')}">Temporary Redirect</a>.\n\n`, {
    Location: location,
  });
}

const expressionOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replaceAll('.', '\\.')
      .replace(/\*$/, '.*')
      .replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`,
  );

/** Merges slashes and removes dot segments; keeps a trailing slash. */
function cleanPath(path: string): string {
  if (!/\/\/|\/\.\.?(\/|$)/.test(path)) return path;
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}${path.endsWith('/') && kept.length > 0 ? '/' : ''}`;
}

function decoded(groups: Record<string, string> | undefined): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(groups ?? {})) {
    try {
      params[name] = decodeURIComponent(value);
    } catch {
      params[name] = value;
    }
  }
  return params;
}
