import { fstatSync, write } from 'node:fs';
import { Writable } from 'node:stream';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';

const MINUTE_MS = 60_000;

/** Limits a log function to one call a minute for each text: a misconfigured proxy would cause one per request. */
export function logThrottle(
  say: (text: string) => void,
  monotonic: () => number = () => performance.now(),
): (text: string) => void {
  const lastLogged = new Map<string, number>();
  return (text) => {
    const time = monotonic();
    if (time - (lastLogged.get(text) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS) return;
    lastLogged.set(text, time);
    say(text);
  };
}

/** The maximum number of buffered characters; further lines are dropped and counted. */
const MAX_WAITING = 1_048_576;
/** A block of lines is written once it has this many characters, or once its first line is this old. */
const BLOCK = { characters: 65_536, ms: 100 };
const RETRY_MS = 1_000;
/** The first digit of pino's level `warn`, after `{"level":`. */
const WARN = '4';

/**
 * Writes to standard output without blocking on a pipe or socket: a blocked write would occupy a thread of the pool and
 * keep the process from exiting, as `pino.destination` does there and on a full disk.
 */
function standardOutput(blocks: boolean) {
  const kind = fstatSync(1);
  return boundedLines(kind.isFIFO() || kind.isSocket() ? process.stdout : fileWriter(), blocks ? { block: BLOCK } : {});
}

/**
 * Writes to a file, and retries while its disk is full. The process can exit between two attempts.
 * @param put like `fs.write`; writes to standard output by default
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
 * Writes lines to a stream without failing, blocking or using ever more memory, even if its reader is slow or gone.
 * Once there is room again, a line reports how many were dropped.
 * @param options.block collects lines into blocks, since a write costs more than many lines do. A line at `warn` or
 * above writes its block immediately. The timer keeps the process alive until the last block is written.
 */
export function boundedLines(out: Writable, options: { maxWaiting?: number; block?: typeof BLOCK } = {}) {
  const { maxWaiting = MAX_WAITING, block = { characters: 0, ms: 0 } } = options;
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;
  let dropped = 0;

  out.on('error', () => {});
  out.on('drain', () => {
    if (dropped === 0 || !out.writable) return;
    out.write(`{"level":40,"time":"${new Date().toISOString()}","dropped":${dropped},"msg":"log lines dropped"}\n`);
    dropped = 0;
  });

  function writeBlock(): void {
    clearTimeout(timer);
    timer = undefined;
    const lines = waiting;
    waiting = '';
    if (lines === '') return;
    if (out.writableLength > maxWaiting) dropped += lines.split('\n').length - 1;
    else if (out.writable) out.write(lines);
  }

  return {
    write(line: string): void {
      waiting += line;
      if (waiting.length >= block.characters || line.charAt('{"level":'.length) >= WARN) writeBlock();
      else timer ??= setTimeout(writeBlock, block.ms);
    },
    writeBlock,
    /** `done` is called once the lines so far are written, possibly never. */
    flush(done: () => void): void {
      writeBlock();
      if (!out.writable || out.writableLength === 0) done();
      else out.write('', () => done());
    },
  };
}

export interface Log extends Logger {
  /** Writes the lines collected so far. */
  writeBlock(): void;
  /**
   * Writes a line whose fields are JSON already (`"status":200`), for the one line per request: pino's serialisation
   * would cost more than the request's other bookkeeping.
   */
  writeFields(level: 'debug' | 'info' | 'warn', fields: string, message: string): void;
}

/**
 * The log of the process: one JSON object per line.
 * @param destination standard output by default; in production it receives blocks, at most 100 ms late
 */
export function createLog(
  options: { level: string; production: boolean; of?: { deployment: string; version: string } },
  destination: DestinationStream & { writeBlock?(): void } = standardOutput(options.production),
): Log {
  const time = pino.stdTimeFunctions.isoTime;
  const of = options.of && { deployment: options.of.deployment, version: options.of.version };
  const ofText = of === undefined ? '' : `,${JSON.stringify(of).slice(1, -1)}`;
  const lines = pino(
    { level: options.level, base: of ?? null, timestamp: time, serializers: { error: describeError } },
    destination,
  );
  return Object.assign(lines, {
    writeBlock: () => destination.writeBlock?.(),
    writeFields(level: 'debug' | 'info' | 'warn', fields: string, message: string): void {
      const value = pino.levels.values[level] as number;
      if (value >= lines.levelVal)
        destination.write(`{"level":${value}${time()}${ofText},${fields},"msg":"${message}"}\n`);
    },
  });
}

/** Resolves when all lines so far are written, at the latest after `milliseconds`: their reader may be gone. */
export const flushed = (log: Log, milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    log.flush(() => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Name, codes and our own stack frames of an error; never its message, which may contain bound values or addresses. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error, frames: [] };
  const { code, errno, sqlState } = error as { code?: unknown; errno?: unknown; sqlState?: unknown };
  const stack = stdSerializers.err(error).stack ?? '';
  const frames = stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && !line.includes('node_modules') && !line.includes('node:'))
    .slice(0, 5)
    .map((line) =>
      line
        .trim()
        .slice(0, 1_000)
        .replace(/\(?(?:file:\/\/)?\/\S*\/((?:server|shared|dist)\/)/, '($1')
        .slice(0, 200),
    );
  return {
    name: error.name,
    ...(typeof code === 'string' || typeof code === 'number' ? { code: String(code) } : {}),
    // `code` has MySQL's name, even if MariaDB uses the number for another error.
    ...(typeof sqlState === 'string' ? { errno } : {}),
    frames,
    ...(error.cause instanceof Error ? { cause: describeError(error.cause) } : {}),
  };
}

const DEBUG_MS = 10 * 60_000;

/**
 * Logs in more detail for ten minutes, without a restart; a second call ends that immediately.
 * @returns a function to call for each such request
 */
export function debugForAWhile(log: Log): () => void {
  const usual = log.level;
  let ending: NodeJS.Timeout | undefined;
  const back = (): void => {
    clearTimeout(ending);
    ending = undefined;
    log.warn({ level: usual }, 'logging at the usual level again');
    log.level = usual;
  };
  return () => {
    if (ending !== undefined) return back();
    // A level that logs even more stays.
    if (!log.isLevelEnabled('debug')) log.level = 'debug';
    ending = setTimeout(back, DEBUG_MS).unref();
    log.warn({ minutes: DEBUG_MS / 60_000 }, 'logging at level debug for a while');
  };
}
