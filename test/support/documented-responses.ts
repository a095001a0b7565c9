import assert from 'node:assert/strict';
import { Validator } from '@cfworker/json-schema';
import type { Express, RequestHandler } from 'express';
import { errorsOf, type RouteEntry, type Schema } from '../../docs/openapi/route.ts';
import { ROUTES, routeOf } from '../../docs/openapi/routes.ts';
import { SCHEMAS } from '../../docs/openapi/schemas.ts';
import type { AppDeps } from '../../server/app.ts';
import type { Needs } from '../../server/gate/require-session.ts';
import { ApiError } from '../../server/http/errors.ts';
import type { ErrorCode } from '../../shared/errors.ts';

/** What is wrong with a body by a schema of the document; empty when it fits. */
export function misfit(schema: Schema, body: unknown): string[] {
  const whole = { ...schema, components: { schemas: SCHEMAS } };
  return new Validator(whole, '2020-12', false)
    .validate(body)
    .errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
}

/** Holds real answers against the table of routes, and knows what of it was not seen yet. */
interface DocumentedResponses {
  /** @throws when the route is not in the table, or answers something that the table does not say */
  check(method: string, target: string, response: Response): Promise<void>;
  /** Each route with the statuses and codes that it has not answered. */
  unseen(): string[];
}

export function documentedResponses(): DocumentedResponses {
  const seen = new Set<string>();
  const name = ({ method, path }: RouteEntry, what: string | number): string => `${method} ${path} ${what}`;

  return {
    async check(method, target, response) {
      const route = routeOf(method, target);
      assert.ok(route, `${method} ${target} is not in the table of routes`);
      const what = `${method} ${target} ${response.status}`;
      const text = await response.text();
      const documented = route.responses[response.status];
      if (documented !== undefined) {
        for (const header of Object.keys(documented.headers ?? {}))
          assert.ok(response.headers.has(header), `${what} ${header}`);
        if (documented.body === undefined) assert.equal(text, '', what);
        else {
          assert.match(response.headers.get('content-type') ?? '', /^application\/json(?:; charset=utf-8)?$/, what);
          assert.deepEqual(misfit(documented.body, JSON.parse(text)), [], what);
        }
        seen.add(name(route, response.status));
        return;
      }
      const body = JSON.parse(text) as { error: ErrorCode };
      assert.deepEqual(misfit(SCHEMAS['Error'] ?? {}, body), [], what);
      assert.ok(errorsOf(route).includes(body.error), `${what} ${body.error} is not documented`);
      assert.equal(response.status, new ApiError(body.error).status, what);
      seen.add(name(route, body.error));
    },
    unseen: () =>
      ROUTES.flatMap((route) =>
        [...Object.keys(route.responses), ...errorsOf(route)].map((what) => name(route, what)),
      ).filter((one) => !seen.has(one)),
  };
}

/** A route as a router of the service has it. */
type MountedRoute = Pick<RouteEntry, 'who' | 'path'> & { method: string };

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
