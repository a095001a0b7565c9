import { parentPort, workerData } from 'node:worker_threads';
import { type IndexCommands, indexCommands } from './commands.ts';
import { isLost, type SavedSyncs } from './database.ts';
import { type IndexLocation, openIndex } from './file.ts';

export interface IndexWorkerData {
  location: IndexLocation;
  now: number;
  /** Whether to discard the contents of the file. */
  empty: boolean;
}

export interface Command {
  number: number;
  name: keyof IndexCommands;
  args: unknown[];
}

export type CommandResult = { number: number } & ({ result: unknown } | { error: { name: string; message: string } });

/** The first message says that the database is open, the last that it was lost. */
export type WorkerMessage =
  | CommandResult
  | { opened: { saved: SavedSyncs /** Why the file is not used. */; problem: string | undefined } }
  | { lost: string };

// Runs in a thread of its own, since parsing a million people or sorting half of them would block every request.
const post = (message: WorkerMessage): void => parentPort?.postMessage(message);
const { location, now, empty } = workerData as IndexWorkerData;
const { database, problem } = openIndex(location, { now, empty });
const commands = indexCommands(database);
post({ opened: { saved: commands.savedSyncs(), problem } });

parentPort?.on('message', ({ number, name, args }: Command) => {
  try {
    post({ number, result: (commands[name] as (...args: unknown[]) => unknown)(...args) });
  } catch (error) {
    // The error's message is dropped, since a parser or SQLite may quote personal data in it.
    const { name: kind, code = '' } = error as { name: string; code?: string };
    if (!isLost(error)) return post({ number, error: { name: kind, message: String(code) } });
    post({ lost: String(code) });
    database.close();
    parentPort?.close();
  }
});
