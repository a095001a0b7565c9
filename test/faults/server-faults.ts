import type { Fault } from './source-change.ts';

/** Faults of the gate, sign-in, the proxies and the sandbox. */
export const SERVER_FAULTS: readonly Fault[] = [
  {
    name: 'The session cookie is not HttpOnly',
    changes: [{ in: 'server/session', find: /httpOnly: true/, replace: 'httpOnly: false' }],
    tests: ['test/unit/session.test.ts'],
    reason: /HttpOnly/i,
  },
  {
    name: 'A login state is accepted twice',
    changes: [
      { in: 'server/features/auth', find: /has\(state: string\): boolean \{/, replace: 'has(state) { return false;' },
      { in: 'server/features/auth', find: /\(row\) => row !== undefined/, replace: '() => false' },
      {
        in: 'server/features/auth',
        find: /\.insert\(rowOf\(state\)\)/,
        replace: ".insert(rowOf(state)).onConflict('state').ignore()",
      },
    ],
    tests: ['test/api/sign-in-callbacks.test.ts'],
    reason: /state/i,
  },
  {
    name: 'Revocations are polled every ten minutes',
    changes: [{ in: 'server/db', find: /\bPOLL_MS = 2_000\b/, replace: 'POLL_MS = 600_000' }],
    tests: ['test/api/security-routes.test.ts'],
    reason: /on other replicas within seconds/,
  },
  {
    name: 'The mount line lets a viewer read settings',
    changes: [{ in: 'server', find: /(\{ read: )'settings\.read'/, replace: "$1'layout.own'" }],
    tests: ['test/api/route-table.test.ts'],
    reason: /settings/,
  },
  {
    name: 'Reading settings is enough to decrypt them',
    changes: [{ in: 'server', find: /decrypt: 'settings\.decrypt'/, replace: "decrypt: 'settings.read'" }],
    tests: ['test/api/settings.test.ts'],
    reason: /without settings\.decrypt/,
  },
  {
    name: 'The raw path is routed instead of the canonical one',
    changes: [{ in: 'server/gate', find: /\breq\.(?:url|originalUrl) = url;/, replace: '' }],
    tests: ['test/api/gate-corpus.test.ts'],
    reason: /reveal no protected data/,
  },
  {
    name: 'A cross-site POST is accepted',
    changes: [
      {
        in: 'server/gate',
        find: /return site !== 'same-origin'/,
        replace: "return site !== 'cross-site' && site !== 'same-origin'",
      },
    ],
    tests: ['test/unit/gate-access.test.ts', 'test/api/gate-access.test.ts'],
    reason: /site|foreign|origin/i,
  },
  {
    name: "The client's Authorization reaches an admin upstream",
    changes: [
      {
        in: 'server/upstream',
        find: /header === 'authorization' && \(admin \|\| key !== undefined\)/,
        replace: "header === 'authorization' && key !== undefined",
      },
    ],
    tests: ['test/api/proxy-headers.test.ts'],
    reason: /authorization/i,
  },
  {
    name: "An upstream's Set-Cookie for our cookie is passed on",
    changes: [
      { in: 'server/upstream', find: /rules\.cookies\.isSetBy\(value\) \? undefined : value/, replace: 'value' },
    ],
    tests: ['test/api/proxy-headers.test.ts'],
    reason: /cookie/i,
  },
  {
    name: "The policy allows 'unsafe-inline'",
    changes: [{ in: 'server/http', find: /(`style-src \$\{style\})`/, replace: "$1 'unsafe-inline'`" }],
    tests: ['test/unit/spa.test.ts'],
    reason: /unsafe-inline/,
  },
  {
    name: 'A graceful shutdown has no limit',
    changes: [{ in: 'server/process', find: /left\(times\.answeredMs\)/, replace: '60_000' }],
    tests: ['test/api/graceful-shutdown.test.ts'],
    reason: /closes connections whose responses take too long/,
  },
  {
    name: 'A redirect of an upstream is passed on as it is',
    changes: [
      { in: 'server/upstream/proxy', find: /location = reference;/, replace: 'location = value;' },
      { in: 'server/upstream/proxy', find: /return reference;(\s*\}\s*case 'link')/, replace: 'return value;$1' },
    ],
    tests: ['test/api/proxy-responses.test.ts'],
    reason: /without the body that repeats the address/,
  },
  {
    name: 'Forged X-Forwarded headers reach an upstream',
    changes: [{ in: 'server/upstream/proxy', find: /x-envoy-\|x-forwarded\|/, replace: 'x-envoy-|' }],
    tests: ['test/api/proxy-headers.test.ts'],
    reason: /headers that impersonate others or apply to one hop/,
  },
  {
    name: 'A proxied page shares the origin of the app',
    changes: [
      {
        in: 'server/upstream/proxy',
        find: /res\.setHeader\('Content-Security-Policy', PROXIED_PAGE_CSP\);/,
        replace: '',
      },
    ],
    tests: ['test/api/proxy-headers.test.ts'],
    reason: /would act on our origin replaced or dropped/,
  },
  {
    name: 'The sandbox starts in production',
    changes: [{ in: 'server/sandbox', find: /if \(options\.production\)/, replace: 'if (false)' }],
    tests: ['test/api/sandbox.test.ts', 'test/api/start.test.ts'],
    reason: /the sandbox does not start in production/,
  },
  {
    name: 'The sandbox listens on every address',
    changes: [
      {
        in: 'server/sandbox',
        find: /server\.listen\(port, '127\.0\.0\.1'/,
        replace: "server.listen(port, '0.0.0.0'",
      },
    ],
    tests: ['test/api/sandbox.test.ts'],
    reason: /the sandbox listens on its loopback address alone/,
  },
  {
    name: 'No rate is limited',
    changes: [{ in: 'server/http', find: /recent\.length >= limit/, replace: 'recent.length >= limit + 1_000' }],
    tests: ['test/unit/limits.test.ts'],
    reason: /window, and states when the next one is possible/,
  },
  {
    name: 'Every Host is accepted',
    changes: [{ in: 'server/http', find: /return named\.has\(name\) \|\|/, replace: 'return true ||' }],
    tests: ['test/unit/addresses.test.ts', 'test/api/http-server.test.ts'],
    reason: /with or without a final dot/,
  },
  {
    name: 'An expired session is accepted',
    changes: [{ in: 'server/session', find: /session\.expiresAt \* 1000 > now\(\)/, replace: 'true' }],
    tests: ['test/unit/session.test.ts', 'test/api/session.test.ts'],
    reason: /from the second in which it expires/,
  },
  {
    name: 'A revoked session is accepted',
    changes: [{ in: 'server/session', find: /revocations\.isRevoked\(session\) \?/, replace: 'false ?' }],
    tests: ['test/api/session.test.ts', 'test/api/security-routes.test.ts'],
    reason: /stays ended after its sign-out and a restart/,
  },
  {
    name: 'A misspelt role is treated as a viewer',
    changes: [
      {
        in: 'server/features/auth',
        find: /const role = roles\.find\(\(known\) => known === value\);/,
        replace: "const role = roles.find((known) => known === value) ?? 'viewer';",
      },
    ],
    tests: ['test/api/sign-in.test.ts'],
    reason: /without a session, on the page for no_role/,
  },
];
