import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { standardOutput } from './log-destination.ts';

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
