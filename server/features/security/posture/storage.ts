import type { AuditChainState } from '../../../../shared/audit.ts';
import type { AuditQueueState } from '../../../audit/audit-queue.ts';
import type { ClusterState } from '../../../db/cluster-state.ts';
import type { MissingRights } from '../../../db/rights.ts';
import type { SessionDeviation } from '../../../db/session-deviations.ts';
import type { StateAtStart } from '../../../db/state-at-start.ts';
import { type Check, type Finding, fail, gravest, lockOut, pass, unknown, warn } from './check.ts';

const MIGRATE = 'node dist/server/main.js migrate';

/** What is stored, and how safely. */
export const storageChecks = (sources: {
  chain: () => Promise<AuditChainState>;
  queue: () => AuditQueueState;
  deviations: () => Promise<readonly SessionDeviation[]>;
  /** Undefined if the database is no cluster. */
  cluster: () => Promise<ClusterState | undefined>;
  migrations: () => Promise<StateAtStart>;
  /** Undefined if they are not known. */
  rights: () => Promise<MissingRights | undefined>;
  /** Whether the service runs the migrations that are missing when it starts. */
  migrates: boolean;
  /** Whether it runs already. */
  started: boolean;
}): Check[] => [
  {
    id: 'audit_chain',
    title: 'Audit trail',
    why: 'It is the only evidence of who did what; a modified trail means that someone had something to hide.',
    look: async () => {
      const { status, verified_to, head, broken_at } = await sources.chain();
      switch (status) {
        case 'whole':
          return pass(`All records up to number ${head} are unchanged.`);
        case 'broken':
          return fail(
            `It is broken at record ${broken_at}.`,
            'Preserve the database, compare it with the log lines, which contain sequence and tag, and find out who could write to it.',
          );
        case 'checking':
          return unknown(`Verified so far: ${verified_to} of ${head} records.`, 'Check again in a moment.');
      }
    },
  },
  {
    id: 'audit_queue',
    title: 'Audit records of proxied writes',
    why: 'They are written after the request; if the database is unavailable and the queue is full, they are lost.',
    look: async () => {
      const { taken, waiting, dropped, failing } = sources.queue();
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
  {
    id: 'database_session',
    title: 'Database settings',
    why: 'With other settings, values could be truncated, acknowledged records lost, or locks outlive their process.',
    look: async () => {
      const [own, cluster] = await Promise.all([sources.deviations(), sources.cluster()]);
      return gravest(
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
  {
    id: 'database_rights',
    title: 'Rights in the database',
    why: 'Without the first ones nothing works; without those on tables, a later release cannot change them.',
    look: async () => {
      const missing = await sources.rights();
      const grant = 'Grant them to the user in DATABASE_URL.';
      if (missing === undefined)
        return unknown('They are not granted to the database user directly.', 'Compare them with docs/operations.md.');
      if (missing.unwritable !== undefined)
        return lockOut(
          `${missing.unwritable} is not writable.`,
          'Make it, and the folder it is in, writable for the user that the service runs as.',
        );
      if (missing.rows.length > 0) return lockOut(`The database user lacks ${missing.rows.join(', ')}.`, grant);
      if (missing.tables.length === 0 || !sources.migrates) return pass('They are sufficient.');
      const alternative = `${grant.slice(0, -1)}, or set MIGRATIONS=wait and run “migrate” as another user.`;
      const finding = `The database user may not change tables: it lacks ${missing.tables.join(', ')}.`;
      return sources.started ? warn(finding, alternative) : lockOut(finding, alternative);
    },
  },
  {
    id: 'migrations',
    title: 'Database schema',
    why: 'Each release needs its own version of the tables.',
    look: async () => {
      const { missing, foreign, refusal } = await sources.migrations();
      if (refusal !== undefined)
        return lockOut(refusal, 'Start a release that fits the database; see “Migrations” in docs/operations.md.');
      const findings: Finding[] = [];
      if (missing.length > 0)
        findings.push(
          sources.started || !sources.migrates
            ? lockOut(
                `Migrations not applied: ${missing.join(', ')}.`,
                'Run “node dist/server/main.js migrate”.',
                MIGRATE,
              )
            : warn(`Migrations not applied yet: ${missing.length}.`, 'The service applies them when it starts.'),
        );
      if (foreign.length > 0)
        findings.push(
          fail(
            `A later release has applied migrations: ${foreign.join(', ')}.`,
            'Update this process to that release: what that one added, this one neither writes nor checks.',
          ),
        );
      return gravest(findings, pass('It matches this release.'));
    },
  },
];
