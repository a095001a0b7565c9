import type { RequestHandler } from 'express';
import type { AppDeps } from '../../server/app.ts';
import type { RouteEntry } from '../routes/route.ts';

/** A route as a router of the service has it. */
export type MountedRoute = Pick<RouteEntry, 'who' | 'path'> & { method: string };

/** What Express keeps of a router, as far as it is needed here. */
interface Layer {
  route?: { path: string | string[]; methods: Record<string, boolean> };
}

/** Every method and path that the service's routers answer with something else than 405, and whom it serves. */
export function mountedRoutes({ publicRoutes, routes }: Pick<AppDeps, 'publicRoutes' | 'routes'>): MountedRoute[] {
  return [
    ...within('', 'anyone', publicRoutes.health),
    ...within('', 'anyone', publicRoutes.socialConnections),
    ...within('/api/auth', 'anyone', publicRoutes.auth),
    ...routes.flatMap(([mount, who, router]) => within(mount, who, router)),
  ];
}

function within(mount: string, who: RouteEntry['who'], router: RequestHandler): MountedRoute[] {
  const { stack = [] } = router as { stack?: Layer[] };
  return stack.flatMap(({ route }) =>
    [route?.path ?? []].flat().flatMap((path) =>
      Object.keys(route?.methods ?? {})
        .filter((method) => method !== '_all' && method !== 'head')
        .map((method) => ({ who, method, path: `${mount}${path === '/' ? '' : path}`.replace(/:(\w+)/g, '{$1}') })),
    ),
  );
}
