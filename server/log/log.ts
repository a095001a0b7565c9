import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { standardOutput } from './log-destination.ts';

export type Log = Logger;

/**
 * The process' log: one JSON object a line.
 * @param destination where lines go; standard output when absent, in production by the page, at least every second
 */
export function createLog(options: { level: string; production: boolean }, destination?: DestinationStream): Log {
  return pino(
    {
      level: options.level,
      base: undefined,
      timestamp: isoTime(),
      serializers: { error: describeError },
    },
    destination ?? standardOutput(options.production ? 4096 : 0),
  );
}

/**
 * A way to write lines at every level, `silent` too, that are not held back: what must stand in the log whatever its
 * setting.
 */
export function unconditionalLines(log: Log): (fields: object, message: string) => void {
  const lines = log.child({}, { level: 'info' });
  let flushing = false;
  let again = false;

  /** One at a time, for all lines that came meanwhile. */
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

/** Waits until the lines so far are written, at most `milliseconds`: their reader may be gone. */
export const flushed = (log: Log, milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    log.flush(() => {
      clearTimeout(timer);
      resolve();
    });
  });

/** pino's `isoTime`, made once for all lines of a millisecond. */
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

/** Name, code and our own stack frames of an error; never its message, which may hold bound values or addresses. */
export function describeError(error: unknown): { name: string; code?: string; frames: string[]; cause?: unknown } {
  if (!(error instanceof Error)) return { name: typeof error, frames: [] };
  const { code } = error as { code?: unknown };
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
    frames,
    ...(error.cause instanceof Error ? { cause: describeError(error.cause) } : {}),
  };
}
