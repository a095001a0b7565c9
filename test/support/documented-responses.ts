import assert from 'node:assert/strict';
import { Validator } from '@cfworker/json-schema';
import { errorsOf, type RouteEntry, type Schema } from '../../docs/openapi/route.ts';
import { ROUTES, routeOf } from '../../docs/openapi/routes.ts';
import { SCHEMAS } from '../../docs/openapi/schemas.ts';
import { ApiError } from '../../server/http/errors.ts';
import type { ErrorCode } from '../../shared/errors.ts';

/** The errors of a body by a schema of the document; empty if it is valid. */
export function schemaErrors(schema: Schema, body: unknown): string[] {
  const resolvable = { ...schema, components: { schemas: SCHEMAS } };
  return new Validator(resolvable, '2020-12', false)
    .validate(body)
    .errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
}

/** Compares real responses with the table of routes, and records which parts of it have been checked. */
interface DocumentedResponses {
  /** @throws when the table lacks the route or the response */
  check(method: string, target: string, response: Response): Promise<void>;
  /** The documented statuses and error codes of routes that no checked response has had. */
  unchecked(): string[];
}

export function documentedResponses(): DocumentedResponses {
  const checked = new Set<string>();
  const name = ({ method, path }: RouteEntry, outcome: string | number): string => `${method} ${path} ${outcome}`;

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
          assert.deepEqual(schemaErrors(documented.body, JSON.parse(text)), [], what);
        }
        checked.add(name(route, response.status));
        return;
      }
      const body = JSON.parse(text) as { error: ErrorCode };
      assert.deepEqual(schemaErrors(SCHEMAS['Error'] ?? {}, body), [], what);
      assert.ok(errorsOf(route).includes(body.error), `${what} ${body.error} is not documented`);
      assert.equal(response.status, new ApiError(body.error).status, what);
      checked.add(name(route, body.error));
    },
    unchecked: () =>
      ROUTES.flatMap((route) =>
        [...Object.keys(route.responses), ...(route.errors ?? [])].map((outcome) => name(route, outcome)),
      ).filter((outcome) => !checked.has(outcome)),
  };
}
