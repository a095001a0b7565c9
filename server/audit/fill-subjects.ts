import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../db/database.ts';
import type { Log } from '../log/log.ts';
import type { AuditEvent } from './audit-event.ts';
import { subjectOf } from './audit-subject.ts';

/** Small: on SQLite all other writes wait for it. */
const BATCH = 200;
const PAUSE_MS = 20;
/** Records without a subject come again while a replica of an older release is still running. */
const LOOK_AGAIN_MS = 60_000;

interface Row {
  sequence: number;
  record: string;
}

/**
 * Gives records from before there was a subject theirs, in the background, until it is closed. Processes that do so at
 * the same time write the same.
 */
export function subjectFilling(options: { database: Database; log: Pick<Log, 'info' | 'warn'> }): {
  start(): void;
  close(): Promise<void>;
} {
  const { database, log } = options;
  const missing = database.statement<Row>(
    `select sequence, record from audit_log where subject is null order by recorded_at, sequence limit ${BATCH}`,
  );
  const closing = new AbortController();
  const { signal } = closing;
  let running: Promise<void> | undefined;

  async function fill(rows: readonly Row[]): Promise<void> {
    const values = rows.flatMap(({ sequence, record }) => [sequence, subjectIn(record)]);
    const places = rows.map(({ sequence }) => sequence);
    await database.transaction((trx) =>
      trx.raw(
        `update audit_log set subject = case sequence ${'when ? then ? '.repeat(rows.length)}end
         where subject is null and sequence in (${places.map(() => '?').join()})`,
        [...values, ...places],
      ),
    );
  }

  async function fillAll(): Promise<void> {
    let filled = 0;
    while (!signal.aborted) {
      const rows = await missing.all();
      if (rows.length === 0) break;
      await fill(rows);
      filled += rows.length;
      await sleep(PAUSE_MS, undefined, { ref: false, signal });
    }
    if (filled > 0) log.info({ records: filled }, 'subjects of audit records are filled');
  }

  async function keepFilling(): Promise<void> {
    while (!signal.aborted) {
      await fillAll().catch(
        (error) => signal.aborted || log.warn({ error }, 'subjects of audit records are not filled yet'),
      );
      await sleep(LOOK_AGAIN_MS, undefined, { ref: false, signal }).catch(() => {});
    }
  }

  return {
    start() {
      running ??= keepFilling();
    },
    async close() {
      closing.abort();
      await running;
    },
  };
}

/** A record that was tampered with may hold anything; that it was, is for the chain to tell. */
function subjectIn(record: string): string {
  try {
    return subjectOf(JSON.parse(record) as AuditEvent) ?? '';
  } catch {
    return '';
  }
}
