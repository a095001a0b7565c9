import type { Writable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { attempt } from '../../shared/json.ts';
import type { Database } from '../db/database.ts';
import { noRecord } from './anchors.ts';
import { type AuditChain, type ChainedRecord, type ChainHead, recordLookup } from './chain.ts';
import { formatPrune, type PruneRequest, pruneTrail } from './prune.ts';
import type { AuditTrail } from './trail.ts';
import { chainWalk, formatRecordId, formatVerdict, isAsExpected, parseRecordId } from './verify.ts';

/** The arguments of `audit:verify` (`expect`) or `audit:export` (`after`); undefined if they are not valid. */
export function parseRecordArgument(args: readonly string[], name: 'expect' | 'after') {
  const given = optionsIn(args, [name]);
  const record = parseRecordId(given?.[name] ?? '');
  return given === undefined || (given[name] !== undefined && record === undefined) ? undefined : { record };
}

/** The arguments of `audit:prune`, which needs both; undefined if they are not valid. A date begins at midnight UTC. */
export function parsePruneArguments(args: readonly string[]): PruneRequest | undefined {
  const { before: day = '', exported: place = '' } = optionsIn(args, ['before', 'exported']) ?? {};
  const exported = parseRecordId(place);
  const before = new Date(`${day}T00:00:00.000Z`);
  // `Date` reads `2026-02-30` as March 2.
  const isDay = /^\d{4}-\d\d-\d\d$/.test(day) && before.toJSON()?.startsWith(day);
  return exported !== undefined && isDay ? { before: before.toISOString(), exported } : undefined;
}

/** Parses options with a text, each given once; undefined if there is anything else. */
function optionsIn<Name extends string>(
  args: readonly string[],
  names: readonly Name[],
): Partial<Record<Name, string>> | undefined {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string', multiple: true } as const]));
  const values = attempt(() => Object.entries(parseArgs({ args: [...args], options }).values));
  if (values === undefined || values.some(([, texts]) => texts?.length !== 1)) return undefined;
  return Object.fromEntries(values.map(([name, texts]) => [name, texts?.[0]])) as Partial<Record<Name, string>>;
}

/**
 * Verifies the whole trail and writes its records as NDJSON, in order and in batches, each batch once it is verified.
 * @param options.after the last record of an earlier export: only later ones are written
 * @param options.write receives whole lines; the export waits for it
 * @returns with the last record exported, now or earlier, and where the trail is broken: nothing is exported from there
 * on
 * @throws if the trail does not contain `after` or no longer has all the records after it, or if `write` rejects
 */
export async function exportTrail(options: {
  database: Database;
  chain: AuditChain;
  after: ChainHead | undefined;
  write: (lines: string) => Promise<void>;
}) {
  const { database, chain, after, write } = options;
  const found = after && (await recordLookup(database)(after));
  if (after !== undefined && found === 'missing') throw new Error(`The trail has no record ${formatRecordId(after)}`);
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
          `The records after ${last.sequence} can no longer be exported: those up to ${start.sequence} were pruned.`,
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

export type TrailExport = Awaited<ReturnType<typeof exportTrail>>;

/** `record` stays text, since the tag was computed over it byte for byte. */
const lineOf = ({ sequence, key_id, previous_tag, tag, record }: ChainedRecord): string =>
  `${JSON.stringify({ sequence, key_id, previous_tag, tag, record })}\n`;

/** What `audit:export` prints to standard error, with the record after which a later export continues. */
export function formatExport({ records, last, fault }: TrailExport): string {
  const lines = [`Exported records: ${records}.`];
  if (last.sequence > 0) lines.push(`The last one exported is ${formatRecordId(last)}`);
  if (fault !== undefined) lines.push(`The audit trail is broken at record ${fault.sequence}: ${fault.problem}`);
  return `${lines.join('\n')}\n`;
}

/** Writes to a stream, and waits until it has taken the text, so that no more than that is kept in memory. */
function writerTo(stream: Writable): (text: string) => Promise<void> {
  // The callback of `write` receives the error as well.
  stream.on('error', () => {});
  return (text) =>
    new Promise((resolve, reject) => {
      stream.write(text, (error) => (error ? reject(error) : resolve()));
    });
}

/** The pause between two batches of a prune, which lets the writes of a running service through. */
const PAUSE_MS = 20;

/** What the `audit:…` commands do. If one is refused, it throws an error whose message is the reason. */
export function trailCommands(parts: { database: Database; chain: AuditChain; audit: AuditTrail; now: () => number }) {
  return {
    /** @param expected a record known to have existed */
    async verify(expected: ChainHead | undefined) {
      const verdict = await parts.audit.verify(expected);
      return { report: formatVerdict(verdict, expected), ok: isAsExpected(verdict, expected) };
    },
    /** @param after the last record of an earlier export */
    async export(after: ChainHead | undefined, to: Writable) {
      try {
        const done = await exportTrail({ ...parts, after, write: writerTo(to) });
        return { report: formatExport(done), ok: done.fault === undefined };
      } catch (error) {
        // The reader has stopped reading, as with `| head`. The export is incomplete, so it names no record.
        if ((error as NodeJS.ErrnoException).code === 'EPIPE') return { report: '', ok: false };
        throw error;
      }
    },
    /** @param onProgress receives the number of rows deleted so far */
    async prune(request: PruneRequest, onProgress: (deleted: number) => void) {
      const pause = (deleted: number): Promise<unknown> => {
        onProgress(deleted);
        return sleep(PAUSE_MS);
      };
      return formatPrune(await pruneTrail({ ...parts, request, pause }));
    },
  };
}
