import { inspect, styleText } from 'node:util';
import type { DestinationStream } from 'pino';

const WARN = 40;
const ERROR = 50;

/**
 * The service's log for a person at a terminal. It omits requests, changes by commands and the launcher, migrations,
 * and the address, which the launcher prints.
 */
export const terminalLog = (print: (line: string) => void): DestinationStream => ({
  write(text) {
    const { level, time, msg, ...fields } = JSON.parse(text);
    if (
      level < WARN &&
      (['request', 'listening', 'migrations applied'].includes(msg) || fields.audit?.actor === 'command-line')
    )
      return;
    const message = level >= ERROR ? styleText('red', msg) : level >= WARN ? styleText('yellow', msg) : msg;
    const details = Object.keys(fields).length === 0 ? '' : ` ${escaped(inspect(fields, { breakLength: 120 }))}`;
    print(`${styleText('dim', new Date(time).toLocaleTimeString('en-GB'))} ${message}${details}`);
  },
});

/** Text from a caller must not reverse or hide other text; `inspect` escapes characters that would move the cursor. */
const escaped = (text: string): string =>
  text.replace(/\p{Cf}/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
