import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../db/database.ts';
import { noRecord } from './audit-anchor.ts';
import type { AuditChain, ChainedRecord, ChainHead } from './audit-chain.ts';
import { formatPlace } from './format-verdict.ts';
import { standingOf } from './trail-start.ts';
import { type ChainFault, chainWalk } from './verify-chain.ts';

export interface TrailExport {
  records: number;
  /** The last record exported, now or earlier; sequence 0 for none. */
  last: ChainHead;
  /** Where the trail is broken: nothing from there on was exported. */
  fault: ChainFault | undefined;
}

/**
 * Verifies the whole trail and writes its records as NDJSON, in order and in batches, each once it is verified.
 * @param options.after the last record of an earlier export: only later ones are written
 * @param options.write takes some whole lines; the export waits for it
 * @throws if the trail does not contain `after`, or no longer all records after it; whatever `write` rejects with
 */
export async function exportTrail(options: {
  database: Database;
  chain: AuditChain;
  after: ChainHead | undefined;
  write: (lines: string) => Promise<void>;
}): Promise<TrailExport> {
  const { database, chain, after, write } = options;
  const standing = after && (await standingOf(database)(after));
  if (after !== undefined && standing === 'unknown') throw new Error(`The trail has no record ${formatPlace(after)}`);
  let last = after;
  let records = 0;
  let lines = '';

  async function flush(): Promise<void> {
    const ready = lines;
    lines = '';
    if (ready !== '') await write(ready);
  }

  const end = await chainWalk(database, chain)(noRecord(), {
    mustReach: after,
    onBegin(start) {
      last ??= start;
      if (last.sequence < start.sequence)
        throw new Error(
          `The records after ${last.sequence} can no longer be exported: up to ${start.sequence}, they were pruned.`,
        );
    },
    onRecord(record) {
      if (last !== undefined && record.sequence <= last.sequence) return;
      lines += lineOf(record);
      records += 1;
      last = { sequence: record.sequence, tag: record.tag };
    },
    async pause() {
      await flush();
      await nextTurn();
    },
  });
  await flush();
  return { records, last: last as ChainHead, fault: 'problem' in end ? end : undefined };
}

/** `record` stays text: it is what the tag was computed over, byte for byte. */
const lineOf = ({ sequence, key_id, previous_tag, tag, record }: ChainedRecord): string =>
  `${JSON.stringify({ sequence, key_id, previous_tag, tag, record })}\n`;

/** What `audit:export` says on standard error, with the place from which a later export continues. */
export function formatExport({ records, last, fault }: TrailExport): string {
  const lines = [`Exported records: ${records}.`];
  if (last.sequence > 0) lines.push(`The last one exported is ${formatPlace(last)}`);
  if (fault !== undefined) lines.push(`The audit trail is broken at record ${fault.sequence}: ${fault.problem}`);
  return `${lines.join('\n')}\n`;
}

/** Writes to a stream and waits until it has taken the text, so that no more than that is held. */
export function writerTo(stream: Writable): (text: string) => Promise<void> {
  // The callback of the write has it, too.
  stream.on('error', () => {});
  return (text) =>
    new Promise((resolve, reject) => {
      stream.write(text, (error) => (error ? reject(error) : resolve()));
    });
}
