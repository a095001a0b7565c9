import { parentPort, workerData } from 'node:worker_threads';
import { type IndexCommands, indexCommands } from './index-commands.ts';
import { openInMemory } from './index-database.ts';

/** What the thread is started with. */
export interface IndexWorkerData {
  maxBytes: number;
}

export interface Command {
  number: number;
  name: keyof IndexCommands;
  args: unknown[];
}

export type Outcome = { number: number } & ({ result: unknown } | { error: { name: string; message: string } });

// Runs in a thread of its own: reading a million people or sorting half of them would stop every request.
const { maxBytes } = workerData as IndexWorkerData;
const commands = indexCommands(openInMemory(maxBytes));
parentPort?.on('message', ({ number, name, args }: Command) => {
  let outcome: Outcome;
  try {
    outcome = { number, result: (commands[name] as (...args: unknown[]) => unknown)(...args) };
  } catch (error) {
    // The text of a parser's or SQLite's error may quote what somebody's page held.
    outcome = {
      number,
      error: { name: (error as Error).name, message: String((error as { code?: string }).code ?? '') },
    };
  }
  parentPort?.postMessage(outcome);
});
