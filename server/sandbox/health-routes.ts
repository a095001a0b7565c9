import { json, text } from './http/answer.ts';
import { type Route, route } from './http/router.ts';

/** The release that the sandbox imitates. */
const VERSION = 'v26.2.0';

/**
 * @param prefix `/admin` on an admin port, where callers may omit it, else empty
 * @param ready if false, readiness fails
 * @param unready the service's error in that case
 */
export const healthRoutes = (prefix: string, ready: () => boolean, unready: () => Error): Route[] => [
  route('GET', `${prefix}/health/alive`, () => json(200, { status: 'ok' })),
  route('GET', `${prefix}/health/ready`, () => {
    if (!ready()) throw unready();
    return json(200, { status: 'ok' });
  }),
];

export const versionRoutes = (): Route[] => [
  route('GET', '/admin/version', () => json(200, { version: VERSION })),
  route('GET', '/admin/metrics/prometheus', () =>
    text(200, '# HELP up Whether the service is up.\n# TYPE up gauge\nup 1\n', {
      'Content-Type': 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores',
    }),
  ),
];
