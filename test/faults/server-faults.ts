import type { Fault } from './source-change.ts';

/** Of the service. */
export const SERVER_FAULTS: readonly Fault[] = [
  {
    name: 'The session cookie is not HttpOnly',
    changes: [{ in: 'server/session', find: /httpOnly: true/, replace: 'httpOnly: false' }],
    tests: ['test/unit/session-cookie.test.ts', 'test/api/session.test.ts'],
    reason: /HttpOnly/i,
  },
  {
    name: 'A login state is accepted twice',
    changes: [
      { in: 'server/features/auth', find: /has\(state\) \{/, replace: 'has(state) { return false;' },
      { in: 'server/features/auth', find: /\(row\) => row !== undefined/, replace: '() => false' },
      {
        in: 'server/features/auth',
        find: /\.insert\(rowOf\(state\)\)/,
        replace: ".insert(rowOf(state)).onConflict('state').ignore()",
      },
    ],
    tests: ['test/api/login-state.test.ts'],
    reason: /state/i,
  },
  {
    name: 'Revocations are polled every minute',
    changes: [{ in: 'server/db', find: /\bPOLL_MS = 2_000\b/, replace: 'POLL_MS = 60_000' }],
    tests: ['test/api/security-routes.test.ts'],
    reason: /second|poll/i,
  },
  {
    name: 'A viewer may read settings by the mount line',
    changes: [{ in: 'server', find: /('\/api\/settings',\s*\{ read: )'settings\.read'/, replace: "$1'layout.own'" }],
    tests: ['test/api/route-table.test.ts', 'test/api/route-roles.test.ts'],
    reason: /settings/,
  },
  {
    name: 'The canonical path is computed, and the raw one routed',
    changes: [{ in: 'server/gate', find: /\breq\.(?:url|originalUrl) = url;/, replace: '' }],
    tests: ['test/api/gate-corpus.test.ts'],
    reason: /./,
  },
  {
    name: 'A cross-site POST is let through',
    changes: [
      {
        in: 'server/gate',
        find: /return site !== 'same-origin'/,
        replace: "return site !== 'cross-site' && site !== 'same-origin'",
      },
    ],
    tests: ['test/unit/same-origin.test.ts', 'test/api/closed-unless-opened.test.ts'],
    reason: /site|foreign|origin/i,
  },
  {
    name: "The client's Authorization reaches an admin upstream",
    changes: [
      {
        in: 'server/upstream',
        find: /name === 'authorization' && \(admin \|\| key !== undefined\)/,
        replace: "name === 'authorization' && key !== undefined",
      },
    ],
    tests: ['test/api/proxy-headers-to-upstream.test.ts'],
    reason: /authorization/i,
  },
  {
    name: "An upstream's Set-Cookie for our cookie is passed on",
    changes: [{ in: 'server/upstream', find: /cookies\.isSetBy\(value\) \? undefined : value/, replace: 'value' }],
    tests: ['test/api/proxy-headers-to-caller.test.ts'],
    reason: /cookie/i,
  },
  {
    name: "The policy allows 'unsafe-inline'",
    changes: [{ in: 'server/http', find: /`style-src \$\{style\}`/, replace: "`style-src ${style} 'unsafe-inline'`" }],
    tests: ['test/unit/spa.test.ts'],
    reason: /unsafe-inline/,
  },
  {
    name: 'A ciphertext is not bound to its key',
    changes: [{ in: 'server/crypto', find: /cipher\.setAAD\([^;]+\);/, replace: 'cipher.setAAD(Buffer.alloc(0));' }],
    tests: ['test/unit/cipher.test.ts'],
    reason: /./,
  },
  {
    name: 'A record deleted from the middle of the trail goes unnoticed',
    changes: [
      {
        in: 'server/audit',
        find: /record\.sequence !== head\.sequence \+ 1/,
        replace: 'record.sequence <= head.sequence',
      },
      { in: 'server/audit', find: /record\.previous_tag !== head\.tag/, replace: 'record.previous_tag === ""' },
      // The tag covers the predecessor's.
      { in: 'server/audit', find: /known && !isGenuine\(record\)/, replace: 'known && record.tag === ""' },
    ],
    tests: ['test/unit/audit-chain.test.ts', 'test/contract/audit.test.ts'],
    reason: /remove|missing|delete|detect/i,
  },
  {
    name: 'A setting is written although its record could not be stored',
    changes: [
      {
        in: 'server/features/settings',
        find: /await audit\.record\((\{ action: 'setting_write'[^;]*), trx\);/,
        replace: 'await audit.record($1, trx).catch(() => {});',
      },
    ],
    tests: ['test/contract/settings-outage.test.ts'],
    reason: /record/i,
  },
  {
    name: 'A graceful shutdown has no limit',
    changes: [{ in: 'server/process', find: /Promise\.race\(\[work, sleep\([^\]]*\]\)/, replace: 'work' }],
    tests: ['test/api/end-of-connections.test.ts'],
    reason: /./,
  },
  {
    name: 'The search of identities ignores their state',
    changes: [{ in: 'server/identity-index', find: /if \(active !== undefined\) add\([^;]*;/, replace: '' }],
    tests: ['test/unit/people-index.test.ts', 'test/api/identity-search.test.ts'],
    reason: /./,
  },
  {
    name: 'A deleted identity stays in the index',
    changes: [
      { in: 'server/identity-index', find: /unlessEnded\(writer\.remove\([^;]*\)\);/, replace: '{}' },
      {
        in: 'server/identity-index',
        find: /removed: \(kind, ids\) => unlessEnded\([^,]*, ids\)\)/,
        replace: 'removed: () => {}',
      },
    ],
    tests: ['test/api/index-freshness.test.ts', 'test/api/identity-search.test.ts'],
    reason: /./,
  },
  {
    name: 'Statistics count quarters of an hour rather than people',
    changes: [
      {
        in: 'server/features/activity',
        find: /counts\[day\] = \(counts\[day\] \?\? 0\) \+ count/,
        replace: 'counts[day] = count',
      },
    ],
    tests: ['test/unit/statistics.test.ts', 'test/api/statistics.test.ts'],
    reason: /./,
  },
  {
    name: 'One operator gets the layout of another',
    changes: [
      { in: 'server/documents', find: /identity_id: identityId/, replace: "identity_id: 'everybody'" },
      { in: 'server/documents', find: /read\.get\(identityId\)/, replace: "read.get('everybody')" },
    ],
    tests: ['test/api/layout.test.ts'],
    reason: /./,
  },
  {
    name: 'A layout overwrites one that was stored since',
    changes: [{ in: 'server/documents', find: /if \(!isExpected\([^;]*;/, replace: '' }],
    tests: ['test/api/layout.test.ts', 'test/contract/layout.test.ts', 'test/api/views.test.ts'],
    reason: /./,
  },
  {
    name: 'A restored secret is stored in plain text',
    changes: [
      {
        in: 'server/features/settings',
        find: /version\.encrypted \|\| stored\?\.encrypted === true/,
        replace: 'stored?.encrypted === true',
      },
    ],
    tests: ['test/contract/setting-history-secrets.test.ts', 'test/contract/setting-history.test.ts'],
    reason: /./,
  },
  {
    name: 'A restoration ignores its precondition',
    changes: [
      {
        in: 'server/features/settings',
        find: /assertMet\(precondition, before\);\s*(const setting = asStored)/,
        replace: '$1',
      },
    ],
    tests: ['test/contract/setting-history.test.ts', 'test/api/setting-history.test.ts'],
    reason: /./,
  },
  {
    name: 'Records of the last 90 days can be pruned',
    changes: [{ in: 'server/audit', find: /now\(\) - KEPT_DAYS \* DAY_MS/, replace: 'now()' }],
    tests: ['test/contract/audit-prune.test.ts', 'test/api/trail-commands.test.ts'],
    reason: /./,
  },
  {
    name: 'An export of a broken trail reports no fault',
    changes: [{ in: 'server/audit', find: /fault: 'problem' in end \? end : undefined/, replace: 'fault: undefined' }],
    tests: ['test/contract/audit-export.test.ts', 'test/api/trail-commands.test.ts'],
    reason: /./,
  },
  {
    name: 'A database that a later release has broken is used',
    changes: [{ in: 'server/db', find: /breaking\.length > 0/, replace: 'breaking.length > 1_000' }],
    tests: ['test/contract/migrations.test.ts', 'test/contract/starts.test.ts', 'test/contract/kept-databases.test.ts'],
    reason: /./,
  },
  {
    name: 'Two processes run migrations at once',
    changes: [{ in: 'server/db', find: /if \(!isOurs\) \{/, replace: 'if (false) {' }],
    tests: ['test/contract/migration-lock.test.ts', 'test/contract/migrations.test.ts'],
    reason: /./,
  },
  {
    name: 'A redirect of an upstream is passed on as it is',
    changes: [
      { in: 'server/upstream/proxy', find: /location = reference;/, replace: 'location = value;' },
      { in: 'server/upstream/proxy', find: /return reference;(\s*\}\s*case 'link')/, replace: 'return value;$1' },
    ],
    tests: ['test/api/proxy-redirects.test.ts'],
    reason: /./,
  },
  {
    name: 'Forged X-Forwarded headers reach an upstream',
    changes: [{ in: 'server/upstream/proxy', find: /x-envoy-\|x-forwarded\|/, replace: 'x-envoy-|' }],
    tests: ['test/api/proxy-headers-to-upstream.test.ts'],
    reason: /./,
  },
  {
    name: 'A proxied page shares the origin of the app',
    changes: [{ in: 'server/upstream/proxy', find: /headers\.push\(\.\.\.POLICY\);/, replace: '' }],
    tests: ['test/api/proxy-headers-to-caller.test.ts'],
    reason: /./,
  },
  {
    name: 'The posture reports the mildest finding',
    changes: [
      {
        in: 'server/features/security/posture',
        find: /GRAVITY\[finding\.status\] > GRAVITY\[worst\]/,
        replace: 'GRAVITY[finding.status] < GRAVITY[worst]',
      },
    ],
    tests: ['test/api/posture-settings.test.ts', 'test/api/posture-keys.test.ts', 'test/api/posture-checks.test.ts'],
    reason: /./,
  },
  {
    name: 'setup replaces a key of the file',
    changes: [
      {
        in: 'server/setup',
        find: /if \(present\[name\]\?\.trim\(\) && wanted\[name\] !== present\[name\]/,
        replace: 'if (false && wanted[name] !== present[name]',
      },
    ],
    tests: ['test/api/setup-file.test.ts', 'test/api/setup.test.ts'],
    reason: /./,
  },
  {
    name: 'The sandbox starts in production',
    changes: [{ in: 'server/sandbox', find: /if \(options\.production\)/, replace: 'if (false)' }],
    tests: ['test/api/sandbox-isolation.test.ts', 'test/api/start.test.ts'],
    reason: /./,
  },
  {
    name: 'The sandbox listens on every address',
    changes: [
      {
        in: 'server/sandbox/http',
        find: /server\.listen\(port, '127\.0\.0\.1'/,
        replace: "server.listen(port, '0.0.0.0'",
      },
    ],
    tests: ['test/api/sandbox-isolation.test.ts'],
    reason: /./,
  },
  {
    name: 'Nothing is limited by rate',
    changes: [{ in: 'server/http', find: /recent\.length >= limit/, replace: 'recent.length >= limit + 1_000' }],
    tests: ['test/unit/rate-limit.test.ts'],
    reason: /./,
  },
  {
    name: 'Any Host is served',
    changes: [{ in: 'server/http', find: /return named\.has\(name\) \|\|/, replace: 'return true ||' }],
    tests: ['test/unit/served-hosts.test.ts', 'test/api/http-server.test.ts'],
    reason: /./,
  },
  {
    name: 'An expired session is accepted',
    changes: [{ in: 'server/session', find: /session\.expiresAt \* 1000 > now\(\)/, replace: 'true' }],
    tests: ['test/unit/session-token.test.ts', 'test/api/session.test.ts'],
    reason: /./,
  },
  {
    name: 'A revoked session is accepted',
    changes: [{ in: 'server/session', find: /revocations\.isRevoked\(session\) \?/, replace: 'false ?' }],
    tests: ['test/api/session.test.ts', 'test/api/security-routes.test.ts'],
    reason: /./,
  },
  {
    name: 'A misspelt role is that of a viewer',
    changes: [
      {
        in: 'server/features/auth',
        find: /const role = ROLES\.find\(\(known\) => known === traits\.role\);/,
        replace: "const role = ROLES.find((known) => known === traits.role) ?? 'viewer';",
      },
    ],
    tests: ['test/api/sign-in-refusals.test.ts'],
    reason: /./,
  },
];
