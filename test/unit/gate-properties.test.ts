import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Express } from 'express';
import fc from 'fast-check';
import { createApp } from '../../server/app.ts';
import { canonicalTarget, normaliseTarget } from '../../server/gate/normalise-path.ts';
import { ownAddresses } from '../../server/upstream/proxy/response.ts';
import { UPSTREAM_NAMES } from '../../shared/upstreams.ts';
import { gateDeps, respondWithName } from '../support/gate-app.ts';
import { upstreamsAt } from '../support/proxy-app.ts';
import { seeded } from '../support/seeded.ts';

const many = seeded(5_000);
const fewer = seeded(1_000);
/** A longer run, which is started by hand, has no time limit. */
const TIMEOUT_MS = many.numRuns > 5_000 ? 0 : 600_000;

/** The parts of hostile targets. */
const PIECES = [
  ...'/ // . .. ... %2e %2E%2e %2f %5c \\ ; ;x=y %3b %23 # ? %3f %25 %252e %00 %0a %7f %20 %41 %61 %6 %2 %65 %c3%bc %c3 %zz % ü : @ & = + ~ * !'.split(
    ' ',
  ),
  ...'api Api API a%70i auth health healthcheck authx settings settings/x identities dashboard layout security unknown'.split(
    ' ',
  ),
  ...'connections connections/social login session assets sign-in-failed dashboard/layout'.split(' '),
  ...UPSTREAM_NAMES,
  ...UPSTREAM_NAMES.map((name) => `/api/${name}/x`),
  ...'/api/health /api/auth/session /api/settings'.split(' '),
  ...'http://localhost/api/settings http://evil.test/api/auth/x ftp://localhost/api/auth'.split(' '),
  ...'http://[ http:// http://xn--0/api/auth'.split(' '),
];
const targets = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...PIECES) },
      { weight: 1, arbitrary: fc.string({ maxLength: 6, unit: 'binary-ascii' }) },
    ),
    { maxLength: 9 },
  )
  .chain((pieces) =>
    fc.constantFrom(`/${pieces.join('/')}`, `/api/${pieces.join('/')}`, `/${pieces.join('')}`, pieces.join('')),
  )
  .map((target) => target.replaceAll(/[\0-\x20\x7f]/g, '') || '/');

describe(`the gate with random targets (seed ${many.seed}, ${many.numRuns} runs)`, function () {
  this.timeout(TIMEOUT_MS);

  it('converts a target to a canonical one, which a second conversion neither changes nor makes ambiguous', () => {
    fc.assert(
      fc.property(targets, (target) => {
        const once = canonicalTarget(target, 'localhost');
        const twice = canonicalTarget(once.url, 'localhost');
        assert.equal(twice.url, once.url);
        if (twice.ambiguous) assert.ok(once.ambiguous, target);
        const path = once.url.split('?', 1)[0] ?? '';
        assert.match(path, /^\/[!-~]*$/);
        assert.doesNotMatch(path, /\/\/|\/\.\.?(\/|$)|[\\#]|.\/$/);
      }),
      many,
    );
  });

  it('treats a target as ambiguous if decoding the routed path would add segments or delimiters', () => {
    fc.assert(
      fc.property(targets, (target) => {
        const { url, ambiguous } = canonicalTarget(target, 'localhost');
        if (ambiguous) return;
        const path = url.split('?', 1)[0] ?? '';
        const decoded = decodeURIComponent(path);
        assert.equal(decoded.split('/').length, path.split('/').length);
        assert.doesNotMatch(decoded, /[\\;#?%]|\p{Cc}/u);
      }),
      many,
    );
  });

  type Policy = { who: 'anyone' | 'any' | 'admin'; handler: string };
  /** The policy for a target, from its segments alone: who may use it, and which handler runs. */
  function policy(target: string): Policy {
    const { url, ambiguous } = canonicalTarget(target, 'localhost');
    const segments = (url.split('?', 1)[0] ?? '').split('/').slice(1);
    const at = (...words: string[]): boolean => words.every((word, index) => segments[index] === word);
    const entry = ((): Policy => {
      if (at('api', 'health') && segments.length === 2) return { who: 'anyone', handler: 'health' };
      if (at('api', 'connections', 'social') && segments.length === 3) return { who: 'anyone', handler: 'social' };
      if (at('api', 'auth')) return { who: 'anyone', handler: 'auth' };
      const upstream = UPSTREAM_NAMES.find((name) => at('api', name));
      if (upstream !== undefined) return { who: 'anyone', handler: upstream };
      if (at('api', 'settings')) return { who: 'admin', handler: 'settings' };
      if (at('api', 'dashboard', 'layout')) return { who: 'any', handler: 'layout' };
      return { who: 'any', handler: 'not_found' };
    })();
    return ambiguous ? { ...entry, who: 'admin' } : entry;
  }

  const app: Express = createApp(
    ...gateDeps({
      routes: [
        ['/api/settings', 'settings.read', respondWithName('settings')],
        ['/api/dashboard/layout', 'layout.own', respondWithName('layout')],
      ],
    }),
  );
  /** Gives the app a request without a connection. @returns the handler's name, or the error's code */
  function handle(target: string, role: string | undefined, normalise = normaliseTarget): Promise<string> {
    const req = new IncomingMessage(new Socket());
    req.method = 'GET';
    req.url = target;
    req.complete = true;
    req.headers = { host: 'localhost', ...(role === undefined ? {} : { cookie: `dashboard-session=${role}` }) };
    Object.defineProperty(req.socket, 'remoteAddress', { value: '127.0.0.1' });
    const res = new ServerResponse(req);
    return new Promise((resolve) => {
      res.end = ((body: string) => {
        const parsed: unknown = JSON.parse(body);
        resolve(typeof parsed === 'string' ? parsed : (parsed as { error: string }).error);
        return res;
      }) as typeof res.end;
      normalise(req);
      app(req, res);
    });
  }

  const roles = fc.constantFrom(undefined, 'viewer', 'admin');

  it('responds with internal_error to a target that was not normalised, for example /api/settings', async () => {
    for (const target of ['/api/health', '/api/settings', '/'])
      assert.equal(await handle(target, 'admin', () => {}), 'internal_error', target);
  });

  it('runs the handler that the policy names, or refuses the request, for each role and without a session', async () => {
    await fc.assert(
      fc.asyncProperty(targets, roles, async (target, role) => {
        const { who, handler } = policy(target);
        const refusal = role === undefined ? 'not_authenticated' : 'forbidden';
        const may = role === 'admin' || who === 'anyone' || (role === 'viewer' && who === 'any');
        assert.equal(await handle(target, role), may ? handler : refusal, `${role}: ${target}`);
      }),
      many,
    );
  });
});

describe(`the proxies with random addresses (seed ${fewer.seed}, ${fewer.numRuns} runs)`, function () {
  this.timeout(TIMEOUT_MS);
  const upstreams = upstreamsAt({
    identity: 'http://kratos:4433',
    'identity-admin': 'http://kratos:4434',
    oauth: 'https://hydra.internal',
    'oauth-admin': 'http://gateway:8080/hydra-admin',
  });
  /** The origins that belong entirely to an upstream. Of the origin of `gateway`, only some paths do. */
  const origins = new Set(['http://kratos:4433', 'http://kratos:4434', 'https://hydra.internal']);
  const addresses = fc
    .array(
      fc.constantFrom(
        ...'http: https: / // \\ kratos:4433 kratos:4434 KRATOS hydra.internal gateway:8080 /hydra-admin admin .. . ? # @ : x y=z %2e %2f evil.test javascript: user:pw@ 10.0.0.1 [::1]'.split(
          ' ',
        ),
      ),
      { maxLength: 9 },
    )
    .map((parts) => parts.join(''));

  for (const own of upstreams)
    if (own.url !== undefined)
      it(`return no address with ${own.admin ? 'any' : 'an upstream’s'} origin, and only well-formed Link headers, for ${own.name}`, () => {
        const rewritten = ownAddresses(upstreams, { ...own, url: own.url ?? '' });
        fc.assert(
          fc.property(addresses, (address) => {
            for (const result of [rewritten.reference(address, '/here'), rewritten.redirect(address, '/here')]) {
              if (result === undefined) continue;
              if (/^\/(?!\/)/.test(result)) continue;
              assert.ok(!own.admin, `${address} → ${result}`);
              assert.ok(!origins.has(new URL(result, own.url).origin), `${address} → ${result}`);
            }
            const links = rewritten.links(`<${address.replaceAll(/[<>]/g, '')}>; rel="next"`, '/here');
            assert.match(links, /^<[^>]*>; rel="next"$/);
          }),
          fewer,
        );
      });
});
