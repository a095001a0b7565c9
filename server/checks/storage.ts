import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { clusterState, lowStatementLimit, missingRights, sessionDeviations } from '../db/checks.ts';
import type { DatabaseAddress } from '../db/database-address.ts';
import { DatabaseNotReady } from '../db/errors.ts';
import { migrationState } from '../db/migrate.ts';
import { isLoopbackAddress } from '../networks.ts';
import { type CheckSources, type Checks, critical, type Finding, fail, pass, unknown, warn, worst } from './check.ts';

type StorageSources = Pick<CheckSources, 'config' | 'database' | 'chainState' | 'audit' | 'started'>;

/** Checks the audit trail, the database, and the index. */
export const storageChecks = ({ config, database, chainState, audit, started }: StorageSources) =>
  ({
    audit_chain: {
      title: 'Audit trail',
      why: 'It is the only evidence of who did what; a modified trail means that someone had something to hide.',
      needs: 'trail',
      look: async () => {
        const { status, verified_to, head, broken_at } = await chainState();
        if (status === 'whole' && head === 0) return pass('It has no records yet.');
        if (status === 'whole') return pass(`All records up to number ${head} are unchanged.`);
        if (status === 'checking')
          return unknown(`So far, ${verified_to} of ${head} records have been verified.`, 'Check again in a moment.');
        return fail(
          `It is broken at record ${broken_at}.`,
          'Preserve the database, compare it with the log lines, which contain sequence and tag, and find out who could write to it.',
        );
      },
    },
    audit_queue: {
      title: 'Audit records of proxied writes',
      why: 'They are written after the request; if the database is unavailable and the queue is full, they are lost.',
      needs: 'service',
      look: () => {
        const { taken, waiting, dropped, failing } = audit.queueState();
        if (dropped > 0)
          return fail(
            `Records lost since this process started: ${dropped}.`,
            'Find out from the log when the database was unavailable; only the upstreams’ own logs cover that time.',
          );
        if (failing) return warn(`Records waiting for the database: ${waiting}.`, 'See System, Services.');
        return taken > 0
          ? pass(`Records since this process started: ${taken}, none lost.`)
          : unknown('Nothing was written through an admin proxy since this process started.', 'Nothing to do.');
      },
    },
    database_tls: {
      title: 'Connection to the database',
      why: 'Without TLS, anyone on the network in between can read and change settings and audit records.',
      look: () => connectionTo(config.database),
    },
    database_session: {
      title: 'Database settings',
      why: 'With other settings, values could be truncated, confirmed records lost, or locks kept by dead processes.',
      needs: 'database',
      look: async () => {
        const [own, cluster] = await Promise.all([sessionDeviations(database, { started }), clusterState(database)]);
        return worst(
          [...own, ...(cluster?.deviations ?? [])].map(({ grave, what }) =>
            grave
              ? fail(what, 'Find out what changes it: the server’s configuration, or a proxy in front of it.')
              : warn(what, 'Change it in the server’s configuration.'),
          ),
          pass(
            cluster === undefined
              ? 'They are correct.'
              : `They are correct. The database is a Galera cluster of ${cluster.nodes} nodes.`,
          ),
        );
      },
    },
    database_limits: {
      title: 'Limits of the database',
      why: 'What is larger than the database server accepts cannot be stored.',
      needs: 'database',
      look: async () => {
        const bytes = await lowStatementLimit(database);
        if (bytes === undefined) return pass('They are sufficient.');
        return fail(`The server refuses statements of ${bytes} bytes.`, 'Set max_allowed_packet to at least 1 MiB.');
      },
    },
    database_rights: {
      title: 'Rights in the database',
      why: 'Nothing works without rights on rows; without rights on tables, a later release cannot change them.',
      needs: 'database',
      look: async () => {
        const missing = await missingRights(database, config.database);
        const grant = 'Grant them to the user in DATABASE_URL';
        if (missing === undefined)
          return unknown(
            'They are not granted to the database user directly.',
            'Compare them with “The database” in docs/install.md.',
          );
        if (missing.unwritable !== undefined)
          return critical(
            `${missing.unwritable} is not writable.`,
            'Make the file and its folder writable for the user that the service runs as.',
          );
        if (missing.rows.length > 0)
          return critical(`The database user lacks ${missing.rows.join(', ')}.`, `${grant}.`);
        if (missing.tables.length === 0 || config.migrations === 'wait') return pass('They are sufficient.');
        return (started ? warn : critical)(
          `The database user may not change tables: it lacks ${missing.tables.join(', ')}.`,
          `${grant}, or set MIGRATIONS=wait and run “migrate” as another user.`,
        );
      },
    },
    migrations: {
      title: 'Database schema',
      why: 'Each release needs its own version of the tables.',
      needs: 'database',
      look: async () => {
        const state = await migrationState(database).catch((error: unknown) => {
          if (error instanceof DatabaseNotReady) return error.message;
          throw error;
        });
        if (typeof state === 'string')
          return critical(state, 'Start a release that fits the database; see “Migrations” in docs/upgrade.md.');
        const { missing, foreign } = state;
        const migrate = 'node dist/server/main.js migrate';
        const unapplied =
          started || config.migrations === 'wait'
            ? critical(`Migrations not applied: ${missing.join(', ')}.`, `Run “${migrate}”.`, migrate)
            : warn(`Migrations not applied yet: ${missing.length}.`, 'The service applies them when it starts.');
        const later = fail(
          `A later release has applied migrations: ${foreign.join(', ')}.`,
          'Update this process to that release: it does not write or check what the later release added.',
        );
        return worst([missing.length > 0 && unapplied, foreign.length > 0 && later], pass('It matches this release.'));
      },
    },
    identity_index: {
      title: 'Index of identities',
      why: 'It contains everyone’s names, addresses and sign-ins; anyone who can read its file can read them without an account.',
      look: async () => {
        const where = config.identityIndex;
        if (where === 'off') return pass('There is none.');
        if (where === 'memory') return pass('It is kept in memory only.');
        const [file, folder] = await Promise.all([lstat(where.file), lstat(dirname(where.file))]).catch(() => []);
        if (file === undefined || folder === undefined || process.geteuid === undefined)
          return unknown('Its file cannot be read.', 'Check whether the service is running and may read it.');
        return worst([indexFile(file, process.geteuid()), indexFolder(folder)]);
      },
    },
  }) satisfies Checks;

function connectionTo(address: DatabaseAddress): Finding {
  if (address.client === 'sqlite') return pass('There is none: the database is a file.');
  const { host, socketPath, ssl } = address.server;
  if (socketPath !== undefined || isLoopbackAddress(host)) return pass('It does not leave this machine.');
  const action =
    'Set ssl-mode=VERIFY_IDENTITY in DATABASE_URL, and ssl-ca for an authority of your own; for an IP address, VERIFY_CA and ssl-ca.';
  if (ssl === undefined) return warn('It crosses the network in plain text.', action);
  // VERIFY_CA alone accepts any server that has a certificate from a public authority.
  return ssl.verifyIdentity || ssl.ca !== undefined
    ? pass('It is encrypted, and the server proves its identity.')
    : warn('It is encrypted, but another server could pass for the database.', action);
}

const OTHERS = 0o077;
const SHARED = 0o066;
const STICKY = 0o1000;

function indexFile({ mode, uid }: Stats, own: number): Finding {
  if (uid !== own) return fail('Its file belongs to another user.', 'Remove the file: the service creates a new one.');
  return (mode & OTHERS) === 0
    ? pass('Only the service can read the index file.')
    : fail('Other users can read its file.', 'Remove the permissions of group and others (chmod 600).');
}

/** Anyone with write access to the folder can replace the file; read access reveals its size. */
function indexFolder({ mode }: Stats): Finding {
  return (mode & SHARED) === 0 || (mode & STICKY) !== 0
    ? pass('Nobody else can replace it.')
    : warn('Other users have access to its folder.', 'Use a folder for it alone (chmod 700).');
}

const DAY_MS = 86_400_000;
const GEO_WARN_DAYS = 180;
const GEO_FAIL_DAYS = 730;

/** The end of life of each release line that the service runs on (github.com/nodejs/release, schedule.json). */
const NODE_ENDS: Record<number, string> = {
  22: '2027-04-30',
  24: '2028-04-30',
  26: '2029-04-30',
};
const NODE_WARN_DAYS = 90;

/** Checks Node.js and the geolocation data. @param node the version of Node.js: `v22.1.0` */
export const softwareChecks = ({ geo, clock }: Pick<CheckSources, 'geo' | 'clock'>, node: string = process.version) =>
  ({
    geo_data: {
      title: 'IP geolocation data',
      why: 'Address ranges change hands. With old data, sign-ins appear in the wrong country, and suspicious ones go unnoticed.',
      look: async () =>
        worst(
          (await geo.states()).map(({ problem, builtAt }) => {
            if (problem !== null || builtAt === null)
              return fail('A file cannot be read.', 'Correct GEOIP_DATABASE, or set it to off.');
            const days = Math.floor((clock.now() - builtAt.getTime()) / DAY_MS);
            const detail = `The data was built on ${builtAt.toISOString().slice(0, 10)}.`;
            if (days < GEO_WARN_DAYS) return pass(detail);
            return (days >= GEO_FAIL_DAYS ? fail : warn)(detail, 'Replace the file with a newer one.');
          }),
          unknown(
            'Addresses are not located: no file is configured or installed.',
            'Set GEOIP_DATABASE if you want locations.',
          ),
        ),
    },
    node_release: {
      title: 'Node.js',
      why: 'A release line past its end of life gets no security fixes.',
      look: () => {
        const major = Number.parseInt(node.slice(1), 10);
        const end = NODE_ENDS[major];
        if (end === undefined)
          return unknown(
            `This release does not know when Node.js ${major} reaches its end of life.`,
            'Look it up at nodejs.org.',
          );
        const daysLeft = Math.ceil((Date.parse(end) - clock.now()) / DAY_MS);
        const action = 'Upgrade to the newest long-term support line.';
        if (daysLeft <= 0) return fail(`Node.js ${major} has received no fixes since ${end}.`, action);
        const detail = `Node.js ${major} receives fixes until ${end}.`;
        return daysLeft < NODE_WARN_DAYS ? warn(detail, action) : pass(detail);
      },
    },
  }) satisfies Checks;
