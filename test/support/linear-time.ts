import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { READERS } from './outside-text-readers.ts';

/** Read once, a text of this length takes a fraction of a second; read from each of its characters, minutes. */
const CHARACTERS = 160_000;
const DEADLINE_MS = 20_000;

/** A test for each reader of text from outside. */
export function readsInLinearTime(which: 'common' | 'all'): void {
  let reader: ChildProcess | undefined;
  // A process of its own, for an expression that does not end cannot be interrupted from within.
  const running = (): ChildProcess => {
    reader ??= fork(new URL('./outside-text-process.ts', import.meta.url));
    return reader;
  };
  const stop = (): void => {
    reader?.kill('SIGKILL');
    reader = undefined;
  };
  after(stop);

  for (const name of Object.keys(READERS))
    it(name, async () => {
      const stuck = await new Promise<string | null>((resolve) => {
        const process = running();
        let deadline: NodeJS.Timeout | undefined;
        const ended = (at: string | null): void => {
          clearTimeout(deadline);
          process.removeAllListeners();
          resolve(at);
        };
        process.on('exit', () => ended('the process'));
        process.on('message', (text: string | null) => {
          clearTimeout(deadline);
          if (text === null) ended(null);
          else deadline = setTimeout(ended, DEADLINE_MS, text);
        });
        process.send({ name, length: CHARACTERS, which });
      });
      if (stuck === null) return;
      stop();
      assert.fail(`does not come to the end of ${JSON.stringify(stuck)}…`);
    });
}
