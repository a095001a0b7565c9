import { timingSafeEqual } from 'node:crypto';
import type { Call } from './call.ts';
import { type Handler, type Route, routerOf } from './router.ts';

/**
 * An admin port: every route is below `/admin`, which callers may omit.
 * @param apiKey the required bearer key; undefined: none. Health is public in any case.
 */
export function adminPort(routes: readonly Route[], apiKey: string | undefined, refuse: () => never): Handler {
  const answer = routerOf(routes);
  return (call) => {
    const path = /^\/admin(\/|$)/.test(call.path) ? call.path : `/admin${call.path}`;
    if (apiKey !== undefined && !path.startsWith('/admin/health/') && !hasKey(call, apiKey)) refuse();
    return answer({ ...call, path: call.path.startsWith('//') ? call.path : path });
  };
}

function hasKey({ headers }: Call, apiKey: string): boolean {
  const given = Buffer.from(headers.authorization ?? '');
  const expected = Buffer.from(`Bearer ${apiKey}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
