import { fstatSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { type DestinationStream, pino } from 'pino';

/** Accepts log lines without failing, blocking or growing: an unread log must not stop the service. */
export interface LogDestination extends DestinationStream {
  /** Writes buffered lines; `done` is called once they are taken, possibly never. */
  flush(done?: () => void): void;
}

/** The limit of buffered lines; further ones are dropped and counted. */
const MAX_WAITING_BYTES = 1_048_576;
const FLUSH_MS = 1_000;

/**
 * Standard output, without blocking on a pipe or socket: a blocked write would occupy a thread of the pool and keep the
 * process from exiting.
 * @param holdBack how many bytes of lines to collect before writing; 0 writes each line immediately
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
  // A full disk must not end the process.
  file.on('error', () => {});
  return { write: (line) => void file.write(line), flush: (done) => file.flush(() => done?.()) };
}

/**
 * Writes lines to a stream whose reader may be slow or gone. Once there is room again, a line reports how many were
 * dropped.
 */
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
