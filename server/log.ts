import { fstatSync, write } from 'node:fs';
import { Writable } from 'node:stream';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';

const MINUTE_MS = 60_000;

/**
 * Throttles a log function to the first call per minute for each text, since a misconfigured proxy would repeat it with
 * every request.
 * @param now milliseconds on a monotonic clock
 */
export function logThrottle(
  say: (text: string) => void,
  now: () => number = () => performance.now(),
): (text: string) => void {
  const lastLogged = new Map<string, number>();
  return (text) => {
    const time = now();
    if (time - (lastLogged.get(text) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS) return;
    lastLogged.set(text, time);
    say(text);
  };
}

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

export interface Log extends Logger {
  /**
   * Writes a line whose fields are JSON already (`"status":200`), for the one line per request: pino's serialisation
   * would cost more than the request's other bookkeeping.
   */
  writeFields(level: 'debug' | 'info' | 'warn', fields: string, message: string): void;
}

/**
 * The log of the process: one JSON object per line.
 * @param destination standard output by default; in production, lines below `warn` are written in blocks, at most
 * 100 ms late
 */
export function createLog(
  options: { level: string; production: boolean },
  destination: DestinationStream = standardOutput({ blocks: options.production }),
): Log {
  const time = isoTime();
  const lines = pino(
    { level: options.level, base: undefined, timestamp: time, serializers: { error: describeError } },
    destination,
  );
  return Object.assign(lines, {
    writeFields(level: 'debug' | 'info' | 'warn', fields: string, message: string): void {
      const value = pino.levels.values[level] as number;
      if (value >= lines.levelVal) destination.write(`{"level":${value}${time()},${fields},"msg":"${message}"}\n`);
    },
  });
}

/**
 * Writes lines at every level, even `silent`, and without buffering: for what must be logged regardless of settings.
 */
export function unconditionalLines(log: Log): (fields: object, message: string) => void {
  const lines = log.child({}, { level: 'info' });
  let flushing = false;
  let again = false;

  /** One flush for all lines written in the same turn. */
  function flush(): void {
    again = flushing;
    if (flushing) return;
    flushing = true;
    lines.flush(() => {
      flushing = false;
      if (again) flush();
    });
  }
  return (fields, message) => {
    lines.info(fields, message);
    flush();
  };
}

/** Waits at most `milliseconds` until the lines so far are written: their reader may be gone. */
export const flushed = (log: Log, milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    log.flush(() => {
      clearTimeout(timer);
      resolve();
    });
  });

/** pino's `isoTime`, formatted once per millisecond. */
function isoTime(): () => string {
  let millisecond = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== millisecond) {
      millisecond = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}

/** Name, codes and our own stack frames of an error; never its message, which may contain bound values or addresses. */
export function describeError(error: unknown): {
  name: string;
  code?: string;
  errno?: unknown;
  frames: string[];
  cause?: unknown;
} {
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
    // The name in `code` is MySQL's, also where MariaDB gives the number to another error.
    ...(typeof sqlState === 'string' ? { errno } : {}),
    frames,
    ...(error.cause instanceof Error ? { cause: describeError(error.cause) } : {}),
  };
}

const DEBUG_MS = 10 * 60_000;

/**
 * Logs in more detail for ten minutes, without a restart; asked again meanwhile, it goes back at once.
 * @returns a function to call for each such request
 */
export function debugForAWhile(log: Log, forMs = DEBUG_MS): () => void {
  const usual = log.level;
  let ending: NodeJS.Timeout | undefined;
  const back = (): void => {
    clearTimeout(ending);
    ending = undefined;
    log.warn({ level: usual }, 'logs at the usual level again');
    log.level = usual;
  };
  return () => {
    if (ending !== undefined) return back();
    // Not where more is logged already.
    if (!log.isLevelEnabled('debug')) log.level = 'debug';
    ending = setTimeout(back, forMs).unref();
    log.warn({ minutes: forMs / 60_000 }, 'logs at level debug for a while');
  };
}
