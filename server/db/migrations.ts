import type { Knex } from 'knex';
import { adding, creating, type NamedMigration } from './migration.ts';

/** 255 characters of up to four bytes each. */
const KEY_BYTES = 1020;
/** The longest subject is `setting:` and 255 characters of up to four bytes each. */
const SUBJECT_BYTES = 1040;

/**
 * In the order in which they run. Names have no file extension, since the list serves both the sources and the build. A
 * migration only adds, so that earlier releases can still use the database; one that breaks them has the word `breaks`
 * in its name.
 */
export const MIGRATIONS: readonly NamedMigration[] = [
  creating(
    '001-create-settings',
    'settings',
    ({ exact, long, integer }) => [
      `\`key\` ${exact(KEY_BYTES)} not null primary key`,
      `value ${long} not null`,
      `encrypted ${integer} not null`,
      `category ${exact(KEY_BYTES)}`,
      `updated_at ${exact(24)} not null`,
    ],
    { indexes: { settings_category: 'category, `key`' } },
  ),
  creating(
    '002-create-audit-log',
    'audit_log',
    ({ exact, long, integer }) => [
      `sequence ${integer} not null primary key`,
      `key_id ${exact(16)} not null`,
      `previous_tag ${exact(64)} not null`,
      `tag ${exact(64)} not null`,
      `record ${long} not null`,
      // Copied from the record for queries; `subject` is empty if the record has none.
      `action ${exact(32)} not null`,
      `actor ${exact(255)} not null`,
      `recorded_at ${exact(24)} not null`,
      `subject ${exact(SUBJECT_BYTES)}`,
    ],
    {
      // One for each combination of filters, in the order in which the trail is read: by time, then by position in the
      // chain.
      indexes: {
        audit_log_recorded_at: 'recorded_at, sequence',
        audit_log_action_at: 'action, recorded_at, sequence',
        audit_log_actor_at: 'actor, recorded_at, sequence',
        audit_log_action_actor_at: 'action, actor, recorded_at, sequence',
        // Includes the other filters' columns, so that only matching records are looked up.
        audit_log_subject_at: 'subject, recorded_at, sequence, action, actor',
        // To find when a key was first used.
        audit_log_key: 'key_id, sequence',
        // A program may write one setting all the time: its other events are found without reading all those writes.
        audit_log_subject_action_at: 'subject, action, recorded_at, sequence',
        audit_log_subject_actor_at: 'subject, actor, recorded_at, sequence',
        audit_log_subject_action_actor_at: 'subject, action, actor, recorded_at, sequence',
      },
    },
  ),
  creating(
    '003-create-audit-head',
    'audit_head',
    ({ exact, integer }) => [
      `id ${integer} not null primary key`,
      `sequence ${integer} not null`,
      `tag ${exact(64)} not null`,
    ],
    { firstRow: { id: 1, sequence: 0, tag: '' } },
  ),
  creating(
    '004-create-revoked-sessions',
    'revoked_sessions',
    ({ exact, integer }) => [
      `session_id ${exact(255)} not null primary key`,
      `expires_at ${integer} not null`,
      `version ${integer} not null`,
    ],
    { indexes: { revoked_sessions_version: 'version', revoked_sessions_expires_at: 'expires_at' } },
  ),
  creating(
    '005-create-identity-epochs',
    'identity_epochs',
    ({ exact, integer }) => [
      `identity_id ${exact(255)} not null primary key`,
      `epoch ${integer} not null`,
      `version ${integer} not null`,
    ],
    { indexes: { identity_epochs_version: 'version' } },
  ),
  /** Numbers the changes of revoked sessions and of epochs in commit order. */
  creating(
    '006-create-revocation-version',
    'revocation_version',
    ({ integer }) => [`id ${integer} not null primary key`, `version ${integer} not null`],
    { firstRow: { id: 1, version: 0 } },
  ),
  creating('007-create-dashboard-layouts', 'dashboard_layouts', ({ exact, long }) => [
    `identity_id ${exact(255)} not null primary key`,
    `layout ${long} not null`,
    `updated_at ${exact(24)} not null`,
  ]),
  /**
   * Written by the platform's login page, which has only `SELECT, INSERT, UPDATE` on this table. It cannot remove
   * expired locks, so the index lets queries skip those rows.
   */
  creating(
    '008-create-locked-accounts',
    'locked_accounts',
    ({ exact, integer }) => [
      `identifier ${exact(1020)} not null primary key`,
      `reason ${exact(64)} not null`,
      `attempts ${integer} not null`,
      `trigger_ip ${exact(45)}`,
      `locked_at ${exact(24)} not null`,
      `locked_until ${exact(24)}`,
    ],
    { indexes: { locked_accounts_until: 'locked_until, locked_at' } },
  ),
  /** When each encryption key was first seen in use. `from_start` is 0 if it had been used before that. */
  creating('009-create-key-sightings', 'key_sightings', ({ exact, integer }) => [
    `key_id ${exact(16)} not null primary key`,
    `first_seen ${exact(24)} not null`,
    `from_start ${integer} not null`,
  ]),
  /** Hashes of the states of finished sign-ins, kept until the states expire. Times are in seconds. */
  creating(
    '010-create-used-login-states',
    'used_login_states',
    ({ exact, integer }) => [`state ${exact(64)} not null primary key`, `expires_at ${integer} not null`],
    { indexes: { used_login_states_expires_at: 'expires_at' } },
  ),
  /** Rows that processes write to check whether the database accepts writes. Times are in seconds. */
  creating('011-create-write-probes', 'write_probes', ({ exact, integer }) => [
    `id ${exact(64)} not null primary key`,
    `written_at ${integer} not null`,
  ]),
  /** Which process does what only one may do at a time. Times are in seconds, by the database's clock. */
  creating('012-create-leases', 'leases', ({ exact, integer }) => [
    `name ${exact(64)} not null primary key`,
    `holder ${exact(64)} not null`,
    `expires_at ${integer} not null`,
  ]),
  creating('013-create-dashboard-views', 'dashboard_views', ({ exact, long }) => [
    `identity_id ${exact(255)} not null primary key`,
    `views ${long} not null`,
    `updated_at ${exact(24)} not null`,
  ]),
  /**
   * Where processes stored the index of identities, so that a file is removed once it is no longer used. Replicas on
   * one machine differ in their port. `used_at` is in seconds.
   */
  creating('014-create-index-files', 'index_files', ({ exact, integer }) => [
    `path ${exact(1024)} not null primary key`,
    `port ${integer} not null`,
    `used_at ${integer} not null`,
  ]),
  /**
   * The value that a setting had before a change, as stored; `version` is the number of the audit record of that
   * change.
   */
  creating(
    '015-create-setting-versions',
    'setting_versions',
    ({ exact, long, integer }) => [
      `\`key\` ${exact(KEY_BYTES)} not null`,
      `version ${integer} not null`,
      `value ${long} not null`,
      `encrypted ${integer} not null`,
      `category ${exact(KEY_BYTES)}`,
      `actor ${exact(255)} not null`,
      `action ${exact(32)} not null`,
      `replaced_at ${exact(24)} not null`,
      'primary key (`key`, version)',
    ],
    { indexes: { setting_versions_replaced_at: 'replaced_at' } },
  ),
  /**
   * Changes of the services behind the dashboard, numbered per service in the order in which they were found. `since`
   * is when the status began, which may be long before `at` if only the problem has changed. `one_replica` is 1 for
   * what a process saw while it could not store anything.
   */
  creating('016-create-service-changes', 'service_changes', ({ exact, integer }) => [
    `service ${exact(32)} not null`,
    `number ${integer} not null`,
    `status ${exact(16)} not null`,
    `problem ${exact(32)}`,
    `at ${exact(24)} not null`,
    `since ${exact(24)} not null`,
    `one_replica ${integer} not null`,
    'primary key (service, number)',
  ]),
  /** Counts the transactions that changed settings. */
  creating(
    '017-create-settings-version',
    'settings_version',
    ({ integer }) => [`id ${integer} not null primary key`, `version ${integer} not null`],
    { firstRow: { id: 1, version: 0 } },
  ),
  /** Operators whose role comes from the claims of an OpenID provider, and who have no identity. */
  creating(
    '018-create-claims-operators',
    'claims_operators',
    ({ exact }) => [
      `id ${exact(64)} not null primary key`,
      `issuer ${exact(1024)} not null`,
      `sub ${exact(1020)} not null`,
      `email ${exact(1280)} not null`,
      `name ${exact(1020)}`,
      `role ${exact(32)} not null`,
      `last_sign_in ${exact(24)} not null`,
    ],
    { indexes: { claims_operators_last_sign_in: 'last_sign_in' } },
  ),
  /**
   * What Kratos and Hydra report of sign-ins. The index by network counts failures of a minute, the one by `failure`
   * finds those that name nobody.
   */
  creating(
    '019-create-sign-in-events',
    'sign_in_events',
    ({ exact, integer }) => [
      `at ${exact(30)} not null`,
      `trace ${exact(32)} not null`,
      `event ${exact(32)} not null`,
      `service ${exact(64)} not null`,
      `identity ${exact(36)}`,
      `session ${exact(36)}`,
      `client ${exact(255)}`,
      `method ${exact(32)}`,
      `provider ${exact(40)}`,
      `reason ${exact(800)}`,
      `address ${exact(64)}`,
      `network ${exact(64)} not null`,
      `country ${exact(2)}`,
      `place ${exact(1020)}`,
      `device ${exact(255)}`,
      `failure ${integer} not null`,
      `number ${integer} not null`,
      'primary key (at, trace, event)',
    ],
    {
      indexes: {
        sign_in_events_identity: 'identity, at, trace, event',
        sign_in_events_client: 'client, at, trace, event',
        sign_in_events_network: 'network, at, trace, event',
        sign_in_events_failure: 'failure, at, address, number',
      },
    },
  ),
  /**
   * Counts by time, without persons: sign-ins by outcome and ten minutes, tokens by client, grant and hour. `slot` is the
   * beginning of the time in ISO 8601.
   */
  creating(
    '020-create-event-counts',
    'event_counts',
    ({ exact, integer }) => [
      `event ${exact(32)} not null`,
      `client ${exact(255)} not null`,
      `grant_type ${exact(64)} not null`,
      `slot ${exact(16)} not null`,
      `number ${integer} not null`,
      'primary key (event, client, grant_type, slot)',
    ],
    { indexes: { event_counts_slot: 'slot' } },
  ),
  creating(
    '021-create-client-uses',
    'client_uses',
    ({ exact }) => [`client ${exact(255)} not null primary key`, `last_used ${exact(30)} not null`],
    { indexes: { client_uses_last_used: 'last_used' } },
  ),
  /** Requests with events of the last hour, so that a repeated one is not counted twice. */
  creating(
    '022-create-event-digests',
    'event_digests',
    ({ exact }) => [`digest ${exact(64)} not null primary key`, `received_at ${exact(24)} not null`],
    { indexes: { event_digests_received_at: 'received_at' } },
  ),
  creating('023-create-event-sources', 'event_sources', ({ exact }) => [
    `service ${exact(64)} not null primary key`,
    `api ${exact(16)} not null`,
    `first_at ${exact(30)} not null`,
    `last_at ${exact(30)} not null`,
    `last_event_at ${exact(30)} not null`,
    `look_at ${exact(30)} not null`,
  ]),
  /** Times in which events may be missing. */
  creating(
    '024-create-event-gaps',
    'event_gaps',
    ({ exact, integer }) => [
      `cause ${exact(16)} not null`,
      `detail ${exact(64)} not null`,
      `from_at ${exact(30)} not null`,
      `to_at ${exact(30)} not null`,
      `number ${integer} not null`,
      'primary key (cause, detail, from_at)',
    ],
    { indexes: { event_gaps_to_at: 'to_at' } },
  ),
  /** `version` is the number of the last row of `identity_changes`; `listened_at` is when a replica last listened. */
  creating(
    '025-create-event-state',
    'event_state',
    ({ exact, integer }) => [
      `id ${integer} not null primary key`,
      `version ${integer} not null`,
      `listened_at ${exact(24)} not null`,
    ],
    { firstRow: { id: 1, version: 0, listened_at: '' } },
  ),
  /** Identities that changed in Kratos within the last hour or so, in the order in which that was stored. */
  creating(
    '026-create-identity-changes',
    'identity_changes',
    ({ exact, integer }) => [
      `number ${integer} not null primary key`,
      `identity ${exact(36)} not null`,
      `deleted ${integer} not null`,
      `at ${exact(24)} not null`,
    ],
    { indexes: { identity_changes_at: 'at' } },
  ),
  /** Notes of operators (`author`) on people. */
  creating(
    '027-create-identity-notes',
    'identity_notes',
    ({ exact, long }) => [
      `id ${exact(36)} not null primary key`,
      `identity ${exact(36)} not null`,
      `author ${exact(255)} not null`,
      `text ${long} not null`,
      `created_at ${exact(24)} not null`,
      `updated_at ${exact(24)} not null`,
    ],
    { indexes: { identity_notes_identity: 'identity, created_at' } },
  ),
  /** Null until an operator saves favourites. */
  adding('028-add-favourites', 'dashboard_views', 'favourites', ({ long }) => long),
];

export const MIGRATION_NAMES: readonly string[] = MIGRATIONS.map(({ name }) => name);

/** For knex's command line. */
export const KNEX_MIGRATIONS: Knex.MigratorConfig = {
  migrationSource: {
    getMigrations: async () => [...MIGRATIONS],
    getMigrationName: (migration) => migration.name,
    getMigration: async (migration) => migration,
  } satisfies Knex.MigrationSource<NamedMigration>,
  // A database of a later release has migrations that are unknown to this one.
  disableMigrationsListValidation: true,
};
