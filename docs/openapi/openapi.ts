import { ApiError } from '../../server/http/errors.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import { UPSTREAMS, upstreamPrefix } from '../../shared/upstreams.ts';
import { component, errorsOf, inPath, type RouteEntry, type Schema, text } from './route.ts';
import { ROUTES } from './routes.ts';
import { SCHEMAS } from './schemas.ts';

const json = (schema: Schema) => ({ 'application/json': { schema } });

const INTRODUCTION = `The HTTP API of Dashboard Admin; see also \`docs/api.md\`.

Every GET route except login and callback also supports HEAD; any other method is 405 with \`Allow\`. The default response covers errors of any request: malformed (400), unknown host name (421), too slow or too large (408, 413, 417, 431), a write from a foreign page (403), the database unavailable (503), an internal error (500).

Generated from the table of routes in \`docs/openapi/\` by \`npm run docs\`: edit that.`;

/** OpenAPI 3.1 for the service's own routes, and for what the proxies add to their upstreams. */
export function openApi(version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of ROUTES) {
    paths[route.path] ??= {};
    (paths[route.path] as Record<string, unknown>)[route.method] = operation(route);
  }
  for (const { name, admin } of UPSTREAMS)
    paths[`${upstreamPrefix(name)}/{path}`] = {
      $ref: `#/components/pathItems/${admin ? 'AdminProxy' : 'PublicProxy'}`,
    };
  return {
    openapi: '3.1.0',
    info: { title: 'Dashboard Admin', version, description: INTRODUCTION },
    servers: [{ url: '/' }],
    tags: [...new Set([...ROUTES.map(({ tag }) => tag), 'Proxies'])].map((name) => ({ name })),
    paths,
    components: {
      schemas: SCHEMAS,
      responses: {
        Failure: { description: 'The errors that any request may cause.', content: json(component('Error')) },
        ...refusalComponents(),
      },
      pathItems: {
        PublicProxy: proxy(false),
        AdminProxy: proxy(true),
      },
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'dashboard-session' } },
    },
  };
}

function operation(route: RouteEntry): Record<string, unknown> {
  const { id, tag, summary, description, who, parameters, body, responses } = route;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: who === 'anyone' ? [] : [{ session: [] }],
    ...(who === 'anyone' ? {} : { 'x-capability': who }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(body) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, response]) => [
          status,
          {
            description: response.description,
            ...(response.headers === undefined ? {} : { headers: headers(response.headers) }),
            ...(response.body === undefined ? {} : { content: json(response.body) }),
          },
        ]),
      ),
      ...refusals(errorsOf(route)),
      default: { $ref: '#/components/responses/Failure' },
    },
  };
}

const headers = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).map(([name, description]) => [name, { description, schema: text }]));

const statusOf = (code: ErrorCode): number => new ApiError(code).status;

/** A reference to a response for each status, named after the codes that this response may have. */
function refusals(codes: readonly ErrorCode[]): Record<string, unknown> {
  return Object.fromEntries(
    codes.map(statusOf).map((status) => {
      const those = codes.filter((code) => statusOf(code) === status);
      return [status, { $ref: `#/components/responses/${those.join('.')}` }];
    }),
  );
}

/** The error responses that routes and proxies refer to. */
function refusalComponents(): Record<string, unknown> {
  const sets = [...ROUTES.map(errorsOf), proxyErrors(false), proxyErrors(true)].flatMap((codes) =>
    codes.map((code) => codes.filter((other) => statusOf(other) === statusOf(code))),
  );
  return Object.fromEntries(
    sets.map((codes) => [
      codes.join('.'),
      {
        description: codes.map((code) => `\`${code}\``).join(', '),
        content: json({ allOf: [component('Error'), { properties: { error: { enum: codes } } }] }),
      },
    ]),
  );
}

/** The codes of errors that a proxy itself responds with. */
export const proxyErrors = (admin: boolean): ErrorCode[] => [
  ...(admin ? (['not_authenticated', 'forbidden'] as const) : []),
  'bad_gateway',
  'gateway_timeout',
];

function proxy(admin: boolean): Record<string, unknown> {
  const passed = {
    tags: ['Proxies'],
    summary: admin ? 'An admin API behind the dashboard' : 'A public API behind the dashboard',
    description: admin
      ? "Method, path, query and body go to the upstream, with the stored key. Its errors are returned as `upstream_error` with the upstream's own status."
      : 'Method, path, query and body go to the upstream. Its errors are passed on if they are JSON.',
    responses: { ...refusals(proxyErrors(admin)), default: { description: "The upstream's response." } },
  };
  return {
    parameters: [inPath('path', text, 'Any number of segments.')],
    ...Object.fromEntries(
      ['get', 'head', 'options', 'post', 'put', 'patch', 'delete'].map((method) => [method, passed]),
    ),
  };
}
