import { type Answer, pageNotFound, text } from './answer.ts';
import type { Call } from './call.ts';

export type Handler = (call: Call) => Answer | Promise<Answer>;

/** `pattern` is a path whose `:name` segments become `call.params`. */
export interface Route {
  method: string;
  pattern: string;
  handle: Handler;
}

export const route = (method: string, pattern: string, handle: Handler): Route => ({ method, pattern, handle });

/** Finds the handler of a call; what is not routed answers as Go's router does: 404, or 405 with `Allow`. */
export function routerOf(routes: readonly Route[]): Handler {
  const compiled = routes.map((entry) => ({ ...entry, expression: expressionOf(entry.pattern) }));
  return (call) => {
    const methods = new Set<string>();
    for (const { method, expression, handle } of compiled) {
      const match = expression.exec(call.path);
      if (match === null) continue;
      if (method === call.method || (method === 'GET' && call.method === 'HEAD'))
        return handle({ ...call, params: decoded(match.groups) });
      methods.add(method);
      if (method === 'GET') methods.add('HEAD');
    }
    if (methods.size === 0) return pageNotFound();
    return text(405, 'Method Not Allowed\n', {
      Allow: [...methods].sort().join(', '),
      'X-Content-Type-Options': 'nosniff',
    });
  };
}

const expressionOf = (pattern: string): RegExp => new RegExp(`^${pattern.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);

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
