import { fstatSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { type DestinationStream, pino } from 'pino';

/** Accepts log lines without failing, blocking or growing: an unread log must not stop the service. */
export interface LogDestination extends DestinationStream {
  /** Writes buffered lines; `done` is called once they are taken, possibly never. */
  flush(done?: () => void): void;
}

/** The limit of buffered characters; further lines are dropped and counted. */
const MAX_WAITING = 1_048_576;
/** A block of lines is written when it has so many characters, or when its first line is so old. */
const BLOCK = { characters: 65_536, ms: 100 };
/** The first digit of pino's level `warn`, after `{"level":`. */
const WARN = '4';

/**
 * Standard output, without blocking on a pipe or socket: a blocked write would occupy a thread of the pool and keep the
 * process from exiting.
 * @param options.blocks write lines in blocks instead of one by one
 */
export function standardOutput({ blocks }: { blocks: boolean }): LogDestination {
  const kind = fstatSync(1);
  const out = kind.isFIFO() || kind.isSocket() ? boundedLines(process.stdout) : file({ sync: !blocks });
  return blocks ? inBlocks(out) : out;
}

function file({ sync }: { sync: boolean }): LogDestination {
  // With a `minLength` of 0, `flush` would not wait for writes in progress.
  const destination = pino.destination({ fd: 1, sync, minLength: sync ? 0 : 1, maxLength: MAX_WAITING });
  // A full disk must not end the process.
  destination.on('error', () => {});
  return { write: (line) => void destination.write(line), flush: (done) => destination.flush(() => done?.()) };
}

/**
 * Collects lines and passes them on in blocks, since every write costs more than many lines do. A line at `warn` or
 * above takes the block with it at once. The timer keeps the process alive until the last block is passed on.
 */
export function inBlocks(to: LogDestination, limits: typeof BLOCK = BLOCK): LogDestination {
  let block = '';
  let timer: NodeJS.Timeout | undefined;

  function pass(): void {
    clearTimeout(timer);
    timer = undefined;
    if (block === '') return;
    const lines = block;
    block = '';
    to.write(lines);
  }

  return {
    write(line) {
      block += line;
      if (block.length >= limits.characters || line.charAt('{"level":'.length) >= WARN) pass();
      else timer ??= setTimeout(pass, limits.ms);
    },
    flush(done) {
      pass();
      to.flush(done);
    },
  };
}

/**
 * Writes lines to a stream whose reader may be slow or gone. Once there is room again, a line reports how many were
 * dropped.
 */
export function boundedLines(out: Writable, maxWaiting = MAX_WAITING): LogDestination {
  let dropped = 0;

  out.on('error', () => {});
  out.on('drain', () => {
    if (dropped === 0 || !out.writable) return;
    out.write(`{"level":40,"time":"${new Date().toISOString()}","dropped":${dropped},"msg":"log lines dropped"}\n`);
    dropped = 0;
  });

  return {
    write(lines) {
      if (out.writableLength > maxWaiting) dropped += lines.split('\n').length - 1;
      else if (out.writable) out.write(lines);
    },
    flush(done = () => {}) {
      if (!out.writable || out.writableLength === 0) done();
      else out.write('', () => done());
    },
  };
}
