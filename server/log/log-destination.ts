import { fstatSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { type DestinationStream, pino } from 'pino';

/** Takes log lines and never fails, waits or grows: a log that nobody reads must not stop the service. */
export interface LogDestination extends DestinationStream {
  /** Hands on what is held back; `done` is called once it has been taken, which may be never. */
  flush(done?: () => void): void;
}

/** Lines that wait for a reader; what comes beyond them is dropped and counted. */
const MAX_WAITING_BYTES = 1_048_576;
const FLUSH_MS = 1_000;

/**
 * Standard output. A pipe or socket is written to without ever blocking: a blocked write would occupy a thread of the
 * pool, and the process could not even exit.
 * @param holdBack how many bytes of lines are collected before they are written; 0 writes each at once
 */
export function standardOutput(holdBack: number): LogDestination {
  const kind = fstatSync(1);
  if (kind.isFIFO() || kind.isSocket()) return boundedLines(process.stdout, { holdBack });
  const file = pino.destination({
    fd: 1,
    sync: holdBack === 0,
    minLength: holdBack,
    maxLength: MAX_WAITING_BYTES,
    periodicFlush: FLUSH_MS,
  });
  // A full disk does not end the process.
  file.on('error', () => {});
  return { write: (line) => void file.write(line), flush: (done) => file.flush(() => done?.()) };
}

/** Lines to a stream whose reader may be slow, or gone. Once there is room again, a line tells how many were dropped. */
export function boundedLines(
  out: Writable,
  options: { holdBack?: number; maxWaitingBytes?: number } = {},
): LogDestination {
  const { holdBack = 0, maxWaitingBytes = MAX_WAITING_BYTES } = options;
  let held = '';
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;

  function pass(): void {
    clearTimeout(timer);
    timer = undefined;
    const lines = held;
    held = '';
    if (lines !== '' && out.writable) out.write(lines);
  }

  out.on('error', () => {});
  out.on('drain', () => {
    if (dropped === 0 || !out.writable) return;
    out.write(`{"level":40,"time":"${new Date().toISOString()}","dropped":${dropped},"msg":"log lines dropped"}\n`);
    dropped = 0;
  });

  return {
    write(line) {
      if (out.writableLength > maxWaitingBytes) {
        dropped += 1;
        return;
      }
      held += line;
      if (held.length > holdBack) pass();
      else timer ??= setTimeout(pass, FLUSH_MS).unref();
    },
    flush(done = () => {}) {
      pass();
      if (!out.writable || out.writableLength === 0) done();
      else out.write('', () => done());
    },
  };
}
