import { timingSafeEqual } from 'node:crypto';
import { routerOf } from './router.js';
/**
 * An admin port: every route stands below `/admin`, which a caller may leave out.
 * @param apiKey the bearer key to ask for; undefined asks for none. Health is open all the same.
 */
export function adminPort(routes, apiKey, refuse) {
  const answer = routerOf(routes);
  return (call) => {
    const path = /^\/admin(\/|$)/.test(call.path) ? call.path : `/admin${call.path}`;
    if (apiKey !== undefined && !path.startsWith('/admin/health/') && !hasKey(call, apiKey)) refuse();
    return answer({ ...call, path: call.path.startsWith('//') ? call.path : path });
  };
}
function hasKey({ headers }, apiKey) {
  const given = Buffer.from(headers.authorization ?? '');
  const expected = Buffer.from(`Bearer ${apiKey}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
