import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../db/database.ts';
import type { AuditChain, ChainHead } from './audit-chain.ts';
import type { AuditTrail } from './audit-trail.ts';
import { exportTrail, formatExport, writerTo } from './export-trail.ts';
import { formatVerdict, isAsExpected } from './format-verdict.ts';
import { formatPrune, type PruneRequest, pruneTrail } from './prune-trail.ts';

/** What a command reports, and whether all is well. */
export interface CommandOutcome {
  report: string;
  ok: boolean;
}

/** What the commands `audit:…` do. Each throws, with the reason as its message, if it is refused. */
export interface TrailCommands {
  /** @param expected a record known to have existed */
  verify(expected: ChainHead | undefined): Promise<CommandOutcome>;
  /** @param after the last record of an earlier export */
  export(after: ChainHead | undefined, to: Writable): Promise<CommandOutcome>;
  /** @param onProgress takes the number of rows deleted so far */
  prune(request: PruneRequest, onProgress: (deleted: number) => void): Promise<string>;
}

/** Between two batches of a prune, so that the writes of a working service get through. */
const PAUSE_MS = 20;

/** @param parts.now milliseconds since the epoch */
export function trailCommands(parts: {
  database: Database;
  chain: AuditChain;
  audit: AuditTrail;
  now: () => number;
}): TrailCommands {
  return {
    async verify(expected) {
      const verdict = await parts.audit.verify(expected);
      return { report: formatVerdict(verdict, expected), ok: isAsExpected(verdict, expected) };
    },
    async export(after, to) {
      try {
        const done = await exportTrail({ ...parts, after, write: writerTo(to) });
        return { report: formatExport(done), ok: done.fault === undefined };
      } catch (error) {
        // The reader has what it wanted, as in `| head`. The export is not complete, and names no place.
        if ((error as NodeJS.ErrnoException).code === 'EPIPE') return { report: '', ok: false };
        throw error;
      }
    },
    async prune(request, onProgress) {
      const pause = (deleted: number): Promise<unknown> => {
        onProgress(deleted);
        return sleep(PAUSE_MS);
      };
      return formatPrune(await pruneTrail({ ...parts, request, pause }));
    },
  };
}
