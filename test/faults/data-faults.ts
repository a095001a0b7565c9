import type { Fault } from './source-change.ts';

/** Faults of settings, the audit trail, the index, documents, the database, and the commands that check them. */
export const DATA_FAULTS: readonly Fault[] = [
  {
    name: 'A ciphertext is not bound to its key',
    changes: [{ in: 'server/crypto', find: /cipher\.setAAD\([^;]+\);/, replace: 'cipher.setAAD(Buffer.alloc(0));' }],
    tests: ['test/unit/cipher.test.ts'],
    reason: /ciphertext only in the context it was made for/,
  },
  {
    name: 'The deletion of a record from the middle of the audit trail is not detected',
    changes: [
      {
        in: 'server/audit',
        find: /record\.sequence !== head\.sequence \+ 1/,
        replace: 'record.sequence <= head.sequence',
      },
      { in: 'server/audit', find: /record\.previous_tag !== head\.tag/, replace: 'record.previous_tag === ""' },
      // A record's tag also covers the tag of the previous record.
      { in: 'server/audit', find: /hasKey && !isGenuine\(record\)/, replace: 'known && record.tag === ""' },
    ],
    tests: ['test/unit/audit.test.ts', 'test/contract/audit.test.ts'],
    reason: /accepts a record only after its predecessor/,
  },
  {
    name: 'A setting is written although its record could not be stored',
    changes: [
      {
        in: 'server/settings',
        find: /await audit\.record\((\{ action, actor, target: key[^;]*), trx\);/,
        replace: 'await audit.record($1, trx).catch(() => {});',
      },
    ],
    tests: ['test/contract/settings.test.ts'],
    reason: /the act cannot be recorded/,
  },
  {
    name: 'The search for identities ignores the state filter',
    changes: [{ in: 'server/search-index', find: /if \(active !== undefined\) add\([^;]*;/, replace: '' }],
    tests: ['test/unit/index-search.test.ts', 'test/api/search-routes.test.ts'],
    reason: /finds by text, state and period among 11,000 matches/,
  },
  {
    name: 'A deleted identity stays in the index',
    changes: [
      { in: 'server/search-index', find: /orSync\(writer\.remove\([^;]*\)\);/, replace: '{}' },
      {
        in: 'server/search-index',
        find: /removed: \(kind: Kind, ids: readonly string\[\]\) => orSync\([^,]*, ids\)\)/,
        replace: 'removed: (_kind: Kind, _ids: readonly string[]) => {}',
      },
    ],
    tests: ['test/api/identity-index.test.ts', 'test/api/search-routes.test.ts'],
    reason: /is updated through the audit trail when another replica/,
  },
  {
    name: 'Statistics count quarters of an hour instead of people',
    changes: [
      {
        in: 'server/features',
        find: /counts\[day\] = \(counts\[day\] \?\? 0\) \+ count/,
        replace: 'counts[day] = count',
      },
    ],
    tests: ['test/unit/statistics.test.ts', 'test/api/statistics.test.ts'],
    reason: /hours of the time zone, across the end of summer time/,
  },
  {
    name: 'One operator gets the layout of another',
    changes: [
      { in: 'server/features', find: /own = \{ identity_id: identityId/, replace: "own = { identity_id: 'everybody'" },
      { in: 'server/features', find: /read\.get\(identityId\)/, replace: "read.get('everybody')" },
    ],
    tests: ['test/api/layout-and-views.test.ts'],
    reason: /cannot be read or overwritten by another operator/,
  },
  {
    name: 'A layout overwrites a newer one',
    changes: [{ in: 'server/features', find: /if \(!isExpected\([^;]*;/, replace: '' }],
    tests: ['test/api/layout-and-views.test.ts', 'test/contract/layout-and-views.test.ts'],
    reason: /not by one with an outdated If-Match/,
  },
  {
    name: 'A restored secret is stored in plain text',
    changes: [
      {
        in: 'server/settings',
        find: /version\.encrypted \|\| stored\?\.encrypted === true/,
        replace: 'stored?.encrypted === true',
      },
    ],
    tests: ['test/contract/setting-history.test.ts'],
    reason: /encrypted with the new key by settings:rekey/,
  },
  {
    name: 'Restoring a setting ignores its precondition',
    changes: [
      {
        in: 'server/settings',
        find: /assertMet\(precondition, before\);\s*(return \{ action: 'setting_restore')/,
        replace: '$1',
      },
    ],
    tests: ['test/contract/setting-history.test.ts', 'test/api/settings.test.ts'],
    reason: /whose precondition is not met/,
  },
  {
    name: 'Records of the last 90 days can be pruned',
    changes: [{ in: 'server/audit', find: /now\(\) - KEPT_DAYS \* DAY_MS/, replace: 'now()' }],
    tests: ['test/contract/audit-prune.test.ts', 'test/api/commands.test.ts'],
    reason: /removes nothing if the date is too recent/,
  },
  {
    name: 'An export of a broken trail reports no fault',
    changes: [{ in: 'server/audit', find: /fault: 'problem' in end \? end : undefined/, replace: 'fault: undefined' }],
    tests: ['test/contract/audit-export.test.ts', 'test/api/commands.test.ts'],
    reason: /at which the trail is broken, and names it/,
  },
  {
    name: 'A database that a later release has broken is used',
    changes: [{ in: 'server/db', find: /breaking\.length > 0/, replace: 'breaking.length > 1_000' }],
    tests: [
      'test/contract/migrations.test.ts',
      'test/contract/starts.test.ts',
      'test/contract/release-databases.test.ts',
    ],
    reason: /of a later migration that breaks this release/,
  },
  {
    name: 'Two processes run migrations at once',
    changes: [{ in: 'server/db', find: /if \(!isOurs\) \{/, replace: 'if (false) {' }],
    tests: ['test/contract/migrations.test.ts'],
    reason: /if the connection breaks after every other commit/,
  },
  {
    name: 'The posture reports the mildest finding',
    changes: [
      {
        in: 'server/checks',
        find: /\['fail', 'warn', 'unknown', 'pass'\]/,
        replace: "['pass', 'unknown', 'warn', 'fail']",
      },
    ],
    tests: ['test/api/posture.test.ts', 'test/unit/posture.test.ts'],
    reason: /key_strength fails for a placeholder/,
  },
  {
    name: 'setup replaces a key of the file',
    changes: [
      {
        in: 'server/checks',
        find: /if \(present\[name\]\?\.trim\(\) && variables\[name\] !== present\[name\]/,
        replace: 'if (false && variables[name] !== present[name]',
      },
    ],
    tests: ['test/api/setup.test.ts'],
    reason: /\(SQLite\) never replaces a key in its file/,
  },
  {
    name: 'The key of the customers’ store is sent to the operators’',
    changes: [
      {
        in: 'server/upstream',
        find: /upstream === undefined \? undefined : stored\(upstream\)/,
        replace: "stored(upstream ?? 'identity-admin')",
      },
    ],
    tests: ['test/api/setup.test.ts'],
    reason: /sends them no stored key/,
  },
];
