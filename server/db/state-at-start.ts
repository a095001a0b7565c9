import type { Database } from './database.ts';
import { type MigrationState, namesOfRun, refuseBroken, stateAfter } from './migration-state.ts';
import { DatabaseNotReady } from './not-ready.ts';
import { CREATIONS, isFormer } from './take-over.ts';

/** What a start finds. */
export interface StateAtStart extends MigrationState {
  /** Why this release does not start on the database; undefined if it does. */
  refusal?: string;
}

/** Reads only: a database of before 0.1.0 counts as what taking it over makes of it. */
export async function stateAtStart(database: Database): Promise<StateAtStart> {
  const names = await namesOfRun(database);
  try {
    const state = stateAfter((await isFormer(database.knex, names)) ? CREATIONS : names);
    refuseBroken(state);
    return state;
  } catch (error) {
    if (!(error instanceof DatabaseNotReady)) throw error;
    return { missing: [], foreign: [], refusal: error.message };
  }
}
