import { styleText } from 'node:util';
import type { DestinationStream } from 'pino';

interface Line {
  level: number;
  time: string;
  msg: string;
  [field: string]: unknown;
}

const WARN = 40;
const ERROR = 50;
/** The launcher prints the address itself. */
const LISTENING = 'listening';

/**
 * The service's log for a person at a terminal: a line each, without requests and without what commands and the launcher
 * itself store.
 * @param options.requests also a line for each request
 */
export function terminalLog(print: (line: string) => void, { requests }: { requests: boolean }): DestinationStream {
  return {
    write(text) {
      const line = JSON.parse(text) as Line;
      const isQuiet = line.msg === LISTENING || (line.msg === 'request' && !requests) || isOwnRecord(line);
      if (!isQuiet || line.level >= WARN) print(readable(line));
    },
  };
}

const isOwnRecord = ({ audit }: Line): boolean => (audit as { actor?: unknown } | undefined)?.actor === 'command-line';

/** `21:38:04 request  method: GET, route: /api/health, status: 200` */
function readable({ level, time, msg, audit, ...fields }: Line): string {
  const clock = new Date(time).toLocaleTimeString('en-GB');
  const style = level >= ERROR ? 'red' : level >= WARN ? 'yellow' : undefined;
  const details = Object.entries({ ...fields, ...(audit as object | undefined) })
    .filter(([name]) => !['sequence', 'tag', 'timestamp', 'id'].includes(name))
    .map(([name, value]) => `${name}: ${escaped(asText(value))}`);
  const message = style === undefined ? msg : styleText(style, msg);
  return [styleText('dim', clock), message, details.length > 0 ? ` ${details.join(', ')}` : ''].join(' ').trimEnd();
}

/** Whatever a caller sent must neither move the cursor nor hide or turn other text. */
const escaped = (text: string): string =>
  text.replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);

/** An error as `describeError` left it is shown with its frames, and of a long list the number. */
function asText(value: unknown): string {
  if (Array.isArray(value)) return value.length > 3 ? String(value.length) : value.join(' ');
  if (typeof value !== 'object' || value === null) return String(value);
  if (!('frames' in value)) return JSON.stringify(value);
  const { name, code = '', frames } = value as { name: string; code?: string; frames: string[] };
  return [`${name} ${code}`.trim(), ...frames].join('\n    ');
}
