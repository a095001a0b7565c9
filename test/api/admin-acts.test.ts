import assert from 'node:assert/strict';
import type { RequestHandler } from 'express';
import { type Capability, can, ROLES, type Role } from '../../shared/capabilities.ts';
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

/** Ends of a query that no role without `upstreams.write` may send, wherever. */
const QUERIES = [
  ...['unknown=1', '_method=DELETE', 'include_credential=password', 'sid=1', 'consent_request_id=1', 'identifier=1'],
  ...['PAGE_SIZE=1', 'page_size[]=1', 'page%5fsize=1', 'page_size', 'page_size=%zz', 'page_size=%2', '=1', '&', '?'],
  ...[
    'page_token=1&page_token=1',
    'page_size=1;expand=identity',
    'page_size=1#',
    'SUBJECT=1',
    'subject=1',
    `subject=${ID}`,
  ],
];
const NAMES = [...new Set([...KRATOS_ROUTES, ...HYDRA_ROUTES].flatMap(({ names }) => names))].filter(Boolean);

for (const deployment of DEPLOYMENTS)
  describe(`the admin APIs of a ${deployment} deployment with EXTRA_ROLES`, () => {
    let reached = 0;
    const proxy: RequestHandler = (req, res) => {
      reached += 1;
      res.set('x-reached', `${req.method} ${req.originalUrl}`).end();
    };
    const env = { DEPLOYMENT: deployment, EXTRA_ROLES: 'support,auditor', LOG_LEVEL: 'silent' };
    const app = ofSuite(() => startGateApp({ proxyTo: () => proxy }, env));

    /** @param target as it reaches the upstream, unless an administrator sends another spelling than the usual one */
    const attempt = (method: string, sent: string, needs: Capability, target?: string, headers: string[] = []) => ({
      ...{ method, sent, needs, target, headers },
    });
    type Attempt = ReturnType<typeof attempt>;

    function bytesOf({ method, sent, headers }: Attempt, caller: Role | undefined): string {
      const body = method === 'PATCH' ? STATE : '';
      const lines = [`Cookie: dashboard-session=${caller}`, `Content-Length: ${body.length}`, ...headers];
      return requestHead(`${method} ${sent}`, [...lines, 'Content-Type: application/json']) + body;
    }

    /** Sends each request as nobody and as each role. */
    async function check(attempts: readonly Attempt[]): Promise<void> {
      const deviations: string[] = [];
      for (const caller of [undefined, ...ROLES]) {
        const connection = await RawConnection.open(Number(new URL(app.url).port));
        for (let start = 0; start < attempts.length; start += 50) {
          const batch = attempts.slice(start, start + 50);
          let allowed = 0;
          reached = 0;
          connection.write(batch.map((one) => bytesOf(one, caller)).join(''));
          for (const { method, sent, needs, target } of batch) {
            const { status, header } = await connection.response(method);
            const refusal = caller === undefined ? 401 : can(caller, needs) ? undefined : 403;
            const isServed = refusal === undefined && method !== 'TRACE';
            allowed += Number(isServed);
            const isRight = status === (refusal ?? (isServed ? 200 : 405));
            if (isRight && (!isServed || target === undefined || header('x-reached')[0] === `${method} ${target}`))
              continue;
            deviations.push(`${caller}: ${method} ${sent}: ${status} ${header('x-reached')}`);
          }
          assert.equal(reached, allowed, [...deviations, 'requests that reached the upstream'].join('\n'));
        }
        connection.close();
      }
      assert.deepEqual(deviations, []);
    }

    for (const { name, holdsIdentities } of UPSTREAMS.filter(({ admin }) => admin)) {
      const isLimited = !holdsIdentities || name === identityService(deployment).adminApi;
      const routes = (holdsIdentities ? KRATOS_ROUTES : HYDRA_ROUTES).map((route) => {
        const [path = '', query = ''] = route.path.split('?');
        const needs = isLimited ? route.needs : ADMIN;
        return { ...route, needs, path, end: query && `?${query}`, more: query ? `?${query}&` : '?' };
      });
      const at: Spell = (path) => `/api/${name}${path}`;

      it(`at /api/${name} serve every method of every documented path to exactly the roles with its capability`, () => {
        const whole = new Set(routes.flatMap(({ path, end }) => [path, path + end]));
        const attempts = [...whole].flatMap((path) =>
          METHODS.map((method) => {
            const safe = method === 'HEAD' ? 'GET' : method;
            const found = routes.find((route) => route.path + route.end === path && route.method === safe);
            return attempt(method, at(path), found?.needs ?? ADMIN, at(path));
          }),
        );
        return check(attempts);
      });

      it(`at /api/${name} serve other spellings to administrators alone, unless they are made canonical before`, () =>
        check(
          routes.flatMap(({ method, path, end, more, needs }) => [
            ...SAME.map((spell) => attempt(method, at(spell(path) + end), needs, at(path + end))),
            attempt(method, `http://localhost${at(path + end)}`, needs, at(path + end)),
            attempt(method, at(`${path}?`), end === '' ? needs : ADMIN),
            attempt(method, at(path + end), needs, at(path + end), [
              'X-HTTP-Method-Override: DELETE',
              'X-Original-URL: /',
            ]),
            ...OTHER.filter((spell) => spell(path) !== path).map((spell) =>
              attempt(method, at(spell(path) + end), ADMIN),
            ),
            ...QUERIES.map((query) => attempt(method, at(path + more + query), ADMIN)),
          ]),
        ));

      if (isLimited)
        it(`at /api/${name} accept from other roles only the documented names of a query, each once`, () =>
          check(
            routes.flatMap(({ method, path, more, needs, names }) =>
              (needs === ADMIN ? [] : NAMES).flatMap((one) => {
                const needed = names.includes(one) ? needs : ADMIN;
                const twice = one === 'page_size' || one === 'expand' ? needed : ADMIN;
                return [
                  attempt(method, at(`${path}${more}${one}=a%20b`), needed, at(`${path}${more}${one}=a%20b`)),
                  attempt(method, at(`${path}${more}${one}=1&${one}=2`), twice),
                  attempt(method, at(`${path}${more}${one.toUpperCase()}=1`), ADMIN),
                ];
              }),
            ),
          ));
    }

    it('take the subject of consents and sign-ins only from one UUID, in upper or lower case', () => {
      const others = [
        '',
        'ada',
        ID.replaceAll('-', ''),
        `{${ID}}`,
        `urn:uuid:${ID}`,
        `%39${ID.slice(1)}`,
        `${ID}+`,
        `+${ID}`,
      ];
      const routes = HYDRA_ROUTES.filter(({ path }) => path.includes('subject='));
      return check(
        routes.flatMap(({ method, path, needs }) => [
          attempt(method, `/api/oauth-admin${path.replace(ID, ID.toUpperCase())}`, needs),
          ...others.map((subject) => attempt(method, `/api/oauth-admin${path.replace(ID, subject)}`, ADMIN)),
          attempt(method, `/api/oauth-admin${path.replace('subject', 'login_session_id=1&client=1&subject')}`, ADMIN),
        ]),
      );
    });
  });
