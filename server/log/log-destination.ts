import { fstatSync, write } from 'node:fs';
import { Writable } from 'node:stream';
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
const RETRY_MS = 1_000;
/** The first digit of pino's level `warn`, after `{"level":`. */
const WARN = '4';

/**
 * Standard output, without blocking on a pipe or socket: a blocked write would occupy a thread of the pool and keep the
 * process from exiting.
 * @param options.blocks write lines in blocks instead of one by one
 */
export function standardOutput({ blocks }: { blocks: boolean }): LogDestination {
  const kind = fstatSync(1);
  if (kind.isFIFO() || kind.isSocket() || blocks) {
    const out = boundedLines(kind.isFIFO() || kind.isSocket() ? process.stdout : fileWriter());
    return blocks ? inBlocks(out) : out;
  }
  const file = pino.destination({ fd: 1, sync: true, maxLength: MAX_WAITING });
  // A full disk must not end the process.
  file.on('error', () => {});
  return { write: (line) => void file.write(line), flush: (done) => file.flush(() => done?.()) };
}

/**
 * Writes to a file, again and again while its disk is full. The process can end in between: pino's own would try for ever
 * when it exits.
 * @param put as `fs.write`, to standard output by default
 */
export function fileWriter(
  put: (bytes: Buffer, done: (error: Error | null, written: number) => void) => void = (bytes, done) =>
    write(1, bytes, done),
  retryMs = RETRY_MS,
): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const attempt = (bytes: Buffer): void =>
        put(bytes, (error, written) => {
          if (error !== null) setTimeout(attempt, retryMs, bytes).unref();
          else if (written < bytes.length) attempt(bytes.subarray(written));
          else done();
        });
      attempt(chunk);
    },
  });
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
