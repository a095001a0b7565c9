import { parentPort, workerData } from 'node:worker_threads';
import { type IndexCommands, indexCommands } from './commands.ts';
import { isLost } from './database.ts';
import type { KeptReadings } from './file.ts';
import { type IndexPlace, openIndex } from './files.ts';

/** What the thread is started with. */
export interface IndexWorkerData {
  place: IndexPlace;
  /** Milliseconds since the epoch. */
  now: number;
  /** Whatever is in a file is thrown away. */
  anew: boolean;
}

export interface Command {
  number: number;
  name: keyof IndexCommands;
  args: unknown[];
}

/** How a command ended. */
export type Outcome = { number: number } & ({ result: unknown } | { error: { name: string; message: string } });

/** What the thread says: first that it has opened its database; last that it was lost, where it was. */
export type Said =
  | Outcome
  | { opened: { readings: KeptReadings /** Why the file is not used. */; problem: string | undefined } }
  | { lost: string };

// Runs in a thread of its own: reading a million people or sorting half of them would stop every request.
const say = (said: Said): void => parentPort?.postMessage(said);
const { place, now, anew } = workerData as IndexWorkerData;
const { database, problem } = openIndex(place, { now, anew });
const commands = indexCommands(database);
say({ opened: { readings: commands.readings(), problem } });

parentPort?.on('message', ({ number, name, args }: Command) => {
  try {
    say({ number, result: (commands[name] as (...args: unknown[]) => unknown)(...args) });
  } catch (error) {
    // The text of a parser's or SQLite's error may quote what somebody's page held.
    const { name: kind, code = '' } = error as { name: string; code?: string };
    if (!isLost(error)) return say({ number, error: { name: kind, message: String(code) } });
    say({ lost: String(code) });
    database.close();
    parentPort?.close();
  }
});
