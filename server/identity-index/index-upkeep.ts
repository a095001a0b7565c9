import type { UpstreamName } from '../../shared/upstreams.ts';
import type { Database } from '../db/database.ts';
import { lease } from '../db/lease.ts';
import type { Log } from '../log/log.ts';
import { changeOf, type IndexChange, type WriteRecord } from './change-of.ts';
import { type IndexThread, IndexUnavailable } from './index-thread.ts';
import { indexWriter } from './index-writer.ts';
import { indexPasses, type Passes, type PassOptions } from './passes.ts';
import { rereading } from './rereading.ts';
import type { IndexSources, Kind } from './sources.ts';
import { type Trail, trailWatch } from './trail-watch.ts';

/** Keeps the index as the store is: by passes, and by what is written through this replica and the others. */
export interface IndexUpkeep extends Pick<Passes, 'asked' | 'state' | 'ended' | 'refreshed' | 'forgetAll'> {
  /** These are gone from the store. */
  removed(kind: Kind, ids: readonly string[]): void;
  /** Something was written through this replica. */
  noted(record: WriteRecord): void;
  /** A batch of people was written; undefined if its answer did not say who. */
  batchWritten(people: readonly string[] | undefined): void;
  /** Resolves when what was written through us is in the index, undefined if it is. */
  settled(): Promise<unknown> | undefined;
  stop(): Promise<void>;
}

export interface UpkeepOptions {
  database: Database;
  sources: IndexSources;
  trail: Trail;
  /** The API of the store whose people are in the index. */
  store: UpstreamName;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Milliseconds on a monotonic clock. */
  monotonic: () => number;
  log: Log;
  pace?: PassOptions['pace'];
  /** Something else than a pass has changed the index. */
  onChange: () => void;
}

export function indexUpkeep(index: IndexThread, options: UpkeepOptions): IndexUpkeep {
  const { database, sources, trail, store, now, monotonic, log, pace, onChange } = options;
  const writer = indexWriter({ index, sources, reread: (kind, ids) => again.reread(kind, ids), onChange });
  const passes = indexPasses({
    index,
    writer,
    sources,
    lease: lease(database, 'index'),
    now,
    monotonic,
    log,
    ...(pace && { pace }),
  });
  const again = rereading({ read: sources.byId, writer, leave: passes.bringForward, log });
  const watch = trailWatch({
    trail,
    isAsked: passes.isAsked,
    note(record) {
      const change = changeOf(record, store);
      if (change !== undefined) apply(change);
    },
    missed: passes.bringForward,
    monotonic,
    log,
  });

  /** A change that did not get in comes with the next pass. */
  const orRead = (done: Promise<void>): void =>
    void done.catch((error) => {
      passes.bringForward();
      // A worker that has ended begins anew with everything.
      if (!(error instanceof IndexUnavailable)) log.warn({ error }, 'the index of identities missed a change');
    });

  function apply(change: IndexChange): void {
    switch (change.how) {
      case 'written':
        writer.noteWritten(change.kind, change.id);
        again.reread(change.kind, [change.id]);
        break;
      case 'removed':
        orRead(writer.remove(change.kind, [change.id]));
        break;
      case 'ended':
        orRead(writer.endSession(change.session));
        break;
      case 'ended-of':
        orRead(writer.endSessionsOf(change.person));
        break;
      case 'unknown':
        passes.bringForward();
    }
  }

  return {
    asked() {
      passes.asked();
      watch.wake();
    },
    state: passes.state,
    ended: passes.ended,
    refreshed: passes.refreshed,
    forgetAll: passes.forgetAll,
    removed: (kind, ids) => orRead(writer.remove(kind, ids)),
    noted(record) {
      const change = changeOf(record, store);
      if (change === undefined) return;
      watch.own(record);
      // The ids of such a batch come with the body of its answer.
      if (change.how !== 'unknown' || !change.listed) apply(change);
    },
    batchWritten(people) {
      if (people === undefined) return passes.bringForward();
      for (const id of people) writer.noteWritten('people', id);
      again.reread('people', people);
    },
    settled: again.settled,
    async stop() {
      watch.stop();
      await passes.stop();
    },
  };
}
