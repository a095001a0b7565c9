import type { AuditChainState } from '../../../../shared/audit.ts';
import type { AuditQueueState } from '../../../audit/audit-queue.ts';
import type { MigrationState } from '../../../db/migration-state.ts';
import type { SessionDeviation } from '../../../db/session-deviations.ts';
import { type Check, fail, gravest, pass, unknown, warn } from './check.ts';

/** What is kept, and how well it is kept. */
export const storageChecks = (sources: {
  chain: () => Promise<AuditChainState>;
  queue: () => AuditQueueState;
  deviations: () => Promise<readonly SessionDeviation[]>;
  migrations: () => Promise<MigrationState>;
}): Check[] => [
  {
    id: 'audit_chain',
    title: 'Audit trail',
    why: 'It is the only witness of who did what; a trail that was changed shows that somebody had something to hide.',
    look: async () => {
      const { status, verified_to, head, broken_at } = await sources.chain();
      switch (status) {
        case 'whole':
          return pass(`Every record up to number ${head} is as it was written.`);
        case 'broken':
          return fail(
            `It is broken at record ${broken_at}.`,
            'Keep the database as it is, compare with the log lines, which carry sequence and tag, and find out who could write to it.',
          );
        case 'checking':
          return unknown(`Verified so far: ${verified_to} of ${head} records.`, 'Look again in a moment.');
      }
    },
  },
  {
    id: 'audit_queue',
    title: 'Records of proxied writes',
    why: 'They are written after the act; those that find no room in the queue while the database is away are lost.',
    look: async () => {
      const { taken, waiting, dropped, failing } = sources.queue();
      if (dropped > 0)
        return fail(
          `Records lost since this process started: ${dropped}.`,
          'Find in the log when the database was unavailable; what the upstreams logged then is all there is.',
        );
      if (failing) return warn(`Records waiting for the database: ${waiting}.`, 'See System, services.');
      return taken > 0
        ? pass(`Records since this process started: ${taken}, none lost.`)
        : unknown('Nothing was written through an admin proxy since this process started.', 'Nothing to do.');
    },
  },
  {
    id: 'database_session',
    title: 'Settings of the database',
    why: 'With others a value could be cut to fit, a record that was acknowledged be lost, or a lock outlast the process that held it.',
    look: async () =>
      gravest(
        (await sources.deviations()).map(({ grave, what }) =>
          grave
            ? fail(what, 'Look for what changes it: the server’s configuration, or a proxy in front of it.')
            : warn(what, 'Change it in the server’s configuration.'),
        ),
        pass('They are as they should be.'),
      ),
  },
  {
    id: 'migrations',
    title: 'Tables of the database',
    why: 'A release and its tables belong together.',
    look: async () => {
      const { missing, foreign } = await sources.migrations();
      if (missing.length > 0)
        return fail(`These changes were not made: ${missing.join(', ')}.`, 'Restart the service, which makes them.');
      return foreign.length > 0
        ? warn(`A later release has changed the tables: ${foreign.join(', ')}.`, 'Update this process to that release.')
        : pass('They fit this release.');
    },
  },
];
