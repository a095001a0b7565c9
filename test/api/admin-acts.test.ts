import assert from 'node:assert/strict';
import type { RequestHandler } from 'express';
import { type Capability, can, ROLES } from '../../shared/capabilities.ts';
import { DEPLOYMENTS, identityService, UPSTREAMS } from '../../shared/upstreams.ts';
import { HYDRA_ROUTES, ID, KRATOS_ROUTES } from '../support/admin-routes.ts';
import { startGateApp } from '../support/gate-app.ts';
import { ofSuite } from '../support/of-suite.ts';
import { RawConnection, requestHead } from '../support/raw-client.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'TRACE'];
const STATE = '[{"op":"replace","path":"/state","value":"inactive"}]';
const ADMIN = 'upstreams.write';
type Spell = (path: string) => string;

/** Spellings of a path that are made canonical before anything is decided, and forwarded so. */
const SAME: Spell[] = [
  (path) => path.replace(/\/([a-z])/, (_, letter) => `/%${letter.charCodeAt(0).toString(16)}`),
  (path) => path.replaceAll('/', '//'),
  (path) => `${path}/`,
  (path) => `/.${path}/.`,
  (path) => `/x/..${path}/%2e%2e/${path.split('/').at(-1)}`,
];

/** Spellings that another server could read as the path, or that are another path. */
const OTHER: Spell[] = [
  (path) => path.toUpperCase(),
  (path) => path.replace(/(?<=^\/[^/]+\/)[a-z]/, (letter) => letter.toUpperCase()),
  // Not of a name that the path contains, such as that of a client.
  (path) => path.replace(/[^/\d]+$/, (name) => name.toUpperCase()),
  (path) => path.replace('/admin/', '/'),
  (path) => `/admin${path}`,
  (path) => path.replace(/(?<=.)\/(?=[^/]+$)/, '%2f'),
  (path) => path.replace(/(?<=.)\/(?=[^/]+$)/, '\\'),
  (path) => path.replace(/.$/, '%2561'),
  ...[';x', '/;x', '%2F', '%3f', '%3Fx=1', '%00', '%zz', '%', '/x/y'].map(
    (end): Spell =>
      (path) =>
        path + end,
  ),
];

const NAMES = [...new Set([...KRATOS_ROUTES, ...HYDRA_ROUTES].flatMap(({ names }) => names))].filter(Boolean);
/** Queries that need `upstreams.write` wherever they are sent. */
const QUERIES = [
  ...['unknown=1', '_method=DELETE', 'include_credential=password', 'sid=1', 'consent_request_id=1', 'identifier=1'],
  ...['page_size[]=1', 'page%5fsize=1', 'page_size', 'page_size=%zz', 'page_size=%2', '=1', '&', '?', 'page_size=1#'],
  ...['page_size=1;expand=identity', 'SUBJECT=1', 'subject=1', `subject=${ID}`],
  ...NAMES.map((name) => `${name.toUpperCase()}=1`),
];
const SUBJECTS = ['', 'ada', ID.replaceAll('-', ''), `{${ID}}`, `urn:uuid:${ID}`, `%39${ID.slice(1)}`, `${ID}+`];

for (const deployment of DEPLOYMENTS)
  describe(`the admin APIs of a ${deployment} deployment with EXTRA_ROLES`, () => {
    let reached = 0;
    const proxy: RequestHandler = (req, res) => {
      reached += 1;
      res.set('x-reached', `${req.method} ${req.originalUrl}`).end();
    };
    const env = { DEPLOYMENT: deployment, EXTRA_ROLES: 'support,auditor', LOG_LEVEL: 'silent' };
    const app = ofSuite(() => startGateApp({ proxyTo: () => proxy }, env));

    /** @param target as it reaches the upstream; undefined where that is not the concern of these tests */
    const attempt = (method: string, sent: string, needs: Capability, target?: string, header = 'X: y') => {
      const body = method === 'PATCH' ? STATE : '';
      const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`, header];
      const bytes = (caller: string) =>
        requestHead(`${method} ${sent}`, [...headers, `Cookie: dashboard-session=${caller}`]) + body;
      return { method, sent, needs, target, bytes };
    };

    /** Sends each request as nobody and as each role. */
    async function check(attempts: readonly ReturnType<typeof attempt>[]): Promise<void> {
      for (const caller of [undefined, ...ROLES]) {
        const connection = await RawConnection.open(Number(new URL(app.url).port));
        for (let start = 0; start < attempts.length; start += 50) {
          const batch = attempts.slice(start, start + 50);
          let allowed = 0;
          reached = 0;
          connection.write(batch.map(({ bytes }) => bytes(caller ?? 'nobody')).join(''));
          for (const { method, sent, needs, target } of batch) {
            const { status, header } = await connection.response(method);
            const refusal = caller === undefined ? 401 : can(caller, needs) ? undefined : 403;
            const isServed = refusal === undefined && method !== 'TRACE';
            assert.equal(status, refusal ?? (isServed ? 200 : 405), `${method} ${sent} as ${caller}`);
            if (isServed && target !== undefined) assert.equal(header('x-reached')[0], `${method} ${target}`);
            allowed += Number(isServed);
          }
          assert.equal(reached, allowed, 'a request that was refused has reached the upstream');
        }
        connection.close();
      }
    }

    for (const { name, holdsIdentities } of UPSTREAMS.filter(({ admin }) => admin)) {
      const isLimited = !holdsIdentities || name === identityService(deployment).adminApi;
      const routes = (holdsIdentities ? KRATOS_ROUTES : HYDRA_ROUTES).map((route) => {
        const [path = '', query = ''] = route.path.split('?');
        const needs = isLimited ? route.needs : ADMIN;
        return { ...route, needs, path, end: query && `?${query}`, more: query ? `?${query}&` : '?' };
      });
      const at: Spell = (path) => `/api/${name}${path}`;
      const same = (method: string, path: string, needs: Capability, header?: string) =>
        attempt(method, at(path), needs, at(path), header);

      it(`at /api/${name} serve every method of every documented path to exactly the roles with its capability`, () => {
        const paths = new Set(routes.flatMap(({ path, end }) => [path, path + end]));
        const neededFor = (method: string, path: string): Capability =>
          routes.find((route) => route.path + route.end === path && route.method === method.replace('HEAD', 'GET'))
            ?.needs ?? ADMIN;
        return check(
          [...paths].flatMap((path) => METHODS.map((method) => same(method, path, neededFor(method, path)))),
        );
      });

      it(`at /api/${name} serve other spellings and queries to administrators alone, unless they mean the same to all servers`, () =>
        check(
          routes.flatMap(({ method, path, end, more, needs, names }) => [
            ...SAME.map((spell) => attempt(method, at(spell(path) + end), needs, at(path + end))),
            attempt(method, `http://localhost${at(path + end)}`, needs, at(path + end)),
            attempt(method, at(`${path}?`), end === '' ? needs : ADMIN),
            same(method, path + end, needs, 'X-HTTP-Method-Override: DELETE'),
            ...OTHER.filter((spell) => spell(path) !== path).map((spell) =>
              attempt(method, at(spell(path) + end), ADMIN),
            ),
            ...QUERIES.map((query) => attempt(method, at(path + more + query), ADMIN)),
            ...NAMES.flatMap((one) => {
              const needed = names.includes(one) ? needs : ADMIN;
              const twice = ['page_size', 'expand', 'ids'].includes(one) ? needed : ADMIN;
              return [
                same(method, `${path}${more}${one}=a%20b`, needed),
                same(method, `${path}${more}${one}=1&${one}=2`, twice),
              ];
            }),
            ...(end === '' ? [] : SUBJECTS).map((subject) => attempt(method, at(`${path}?subject=${subject}`), ADMIN)),
            ...(end === '' ? [] : [same(method, path + end.replace(ID, ID.toUpperCase()), needs)]),
          ]),
        ));
    }
  });
