import type { Express, RequestHandler } from 'express';
import type { AppDeps } from '../../server/app.ts';
import type { Needs } from '../../server/gate/require-session.ts';
import type { RouteEntry } from '../routes/route.ts';

/** A route as a router of the service has it. */
export type MountedRoute = Pick<RouteEntry, 'who' | 'path'> & { method: string };

/** What Express keeps of a router, as far as it is needed here. */
interface Layer {
  route?: { path: string | string[]; methods: Record<string, boolean> };
}

/** Every method and path that the service's routers answer with something else than 405, and what it needs. */
export function mountedRoutes(
  app: Express,
  { publicRoutes, routes }: Pick<AppDeps, 'publicRoutes' | 'routes'>,
): MountedRoute[] {
  return [
    ...within('', 'anyone', app.router),
    ...within('/api/auth', 'anyone', publicRoutes.auth),
    ...routes.flatMap(([mount, needs, router]) => within(mount, needs, router)),
  ];
}

function within(mount: string, needs: Needs | 'anyone', router: RequestHandler): MountedRoute[] {
  const { stack = [] } = router as { stack?: Layer[] };
  return stack.flatMap(({ route }) =>
    [route?.path ?? []].flat().flatMap((path) =>
      Object.keys(route?.methods ?? {})
        .filter((method) => method !== '_all' && method !== 'head')
        .map((method) => ({
          who: whoOf(needs, method),
          method,
          path: `${mount}${path === '/' ? '' : path}`.replace(/:(\w+)/g, '{$1}'),
        })),
    ),
  );
}

const whoOf = (needs: Needs | 'anyone', method: string): RouteEntry['who'] =>
  typeof needs === 'string' ? needs : method === 'get' ? needs.read : needs.write;
