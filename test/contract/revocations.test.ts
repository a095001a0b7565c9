import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '../../server/db/errors.ts';
import { createLog } from '../../server/log.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { until } from '../support/eventually.ts';
import { type PolledRevocations, polledRevocations } from '../support/polled-revocations.ts';
import { severable } from '../support/severable.ts';

const POLL_MS = 20;
const NOW = Date.UTC(2026, 0, 1);
const IN_AN_HOUR = NOW / 1000 + 3_600;

describeOnDatabases(
  'revocations',
  (databases) => {
    let opened: PolledRevocations[] = [];
    afterEach(() => {
      for (const revocations of opened) revocations.close();
      opened = [];
    });

    function revocationsOn(url: string, options: { now?: () => number } = {}) {
      const database = databases.open(url);
      const warnings: string[] = [];
      const log = createLog({ level: 'warn', production: false }, { write: (line) => void warnings.push(line) });
      const now = options.now ?? ((): number => NOW);
      const revocations = polledRevocations({ database, log, now, monotonic: now, pollMs: POLL_MS });
      opened.push(revocations);
      return { revocations, database, warnings };
    }

    const session = (sessionId: string, identityId = 'ada', epoch = 0) => ({ sessionId, identityId, epoch });

    it('hold at once where they are made, and in another process after a poll', async () => {
      const { url } = await databases.migrated();
      const [here, there] = [revocationsOn(url).revocations, revocationsOn(url).revocations];
      await Promise.all([here.start(), there.start()]);
      await here.revokeSession('one', IN_AN_HOUR);
      await here.revokeSession('one', IN_AN_HOUR);
      assert.equal(here.isRevoked(session('one')), true);
      assert.equal(here.isRevoked(session('One')), false);
      await until(() => there.isRevoked(session('one')));
      await there.revokeSession('two', IN_AN_HOUR);
      await until(() => here.isRevoked(session('two')));
      assert.equal(here.isRevoked(session('three')), false);
    });

    it('are known to a process that starts later', async () => {
      const { url } = await databases.migrated();
      const early = revocationsOn(url).revocations;
      await early.revokeSession('one', IN_AN_HOUR);
      await early.raiseEpoch('ada');
      const late = revocationsOn(url).revocations;
      await late.start();
      assert.equal(late.isRevoked(session('one', 'bob')), true);
      assert.equal(late.isRevoked(session('two', 'ada', 0)), true);
    });

    it('by epoch end every earlier session of one identity, and no later one', async () => {
      const { url } = await databases.migrated();
      const [here, there] = [revocationsOn(url).revocations, revocationsOn(url).revocations];
      await Promise.all([here.start(), there.start()]);
      assert.equal(await here.epochOf('ada'), 0);
      await here.raiseEpoch('ada');
      assert.equal(here.isRevoked(session('any', 'ada', 0)), true);
      assert.equal(here.isRevoked(session('any', 'bob', 0)), false);
      assert.equal(await there.epochOf('ada'), 1);
      assert.equal(here.isRevoked(session('new', 'ada', 1)), false);
      await Promise.all([here.raiseEpoch('ada'), there.raiseEpoch('ada'), here.raiseEpoch('ada')]);
      assert.equal(await there.epochOf('ada'), 4);
      await until(() => there.isRevoked(session('new', 'ada', 3)) && here.isRevoked(session('new', 'ada', 3)));
    });

    it('stay in force from memory while the database is away, which is logged once', async () => {
      const { url } = await databases.migrated();
      const outage = databases.client === 'mysql' ? await severable(url) : undefined;
      const { revocations, database, warnings } = revocationsOn(outage?.url ?? url);
      await revocations.start();
      await revocations.revokeSession('one', IN_AN_HOUR);
      if (outage === undefined) await database.close();
      else await outage.sever();
      await until(() => warnings.length > 0);
      await sleep(POLL_MS * 5);
      assert.equal(warnings.length, 1, 'each poll fails, and the first is logged');
      assert.equal(revocations.isRevoked(session('one')), true);
      assert.equal(revocations.isRevoked(session('two')), false);
      await assert.rejects(revocations.revokeSession('two', IN_AN_HOUR), isUnavailable);
      await assert.rejects(revocations.raiseEpoch('ada'), isUnavailable);
      await assert.rejects(revocations.epochOf('ada'), isUnavailable);
      assert.equal(revocations.isRevoked(session('two')), true, 'here it ended all the same');
      if (outage === undefined) return;
      await outage.restore();
      const other = revocationsOn(url).revocations;
      await other.revokeSession('three', IN_AN_HOUR);
      await until(() => revocations.isRevoked(session('three')));
      await outage.close();
    });
  },
  { server: true },
);
