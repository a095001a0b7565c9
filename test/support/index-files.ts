import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { IndexDatabase } from '../../server/search-index/database.ts';
import { type IndexLocation, indexLocation, openIndex } from '../../server/search-index/file.ts';
import { indexCommands } from '../../server/search-index/worker.ts';
import { PLENTY } from './context.ts';
import { folderOfTest } from './of-suite.ts';

export const HOUR_MS = 3_600_000;
/** The time at which files are opened. */
export const NOW = Date.UTC(2026, 0, 2);

/** Ids and names of people, by number. */
export const idOf = (number: number): string => `${number.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
export const nameOf = (number: number): string => `Zebulon${number}Quartermain`;
export const range = (length: number, from = 0): number[] => Array.from({ length }, (_, index) => from + index);
export const pageOf = (numbers: readonly number[], traits: object = {}): string =>
  JSON.stringify(
    numbers.map((number) => ({
      id: idOf(number),
      schema_id: 'customer',
      state: 'active',
      traits: { email: `${nameOf(number)}@example.org`.toLowerCase(), name: nameOf(number), ...traits },
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
    })),
  );

export type IndexFiles = ReturnType<typeof indexFilesOfSuite>;

/** For a suite: a folder for each test, and the path of an index file in it. */
export function indexFilesOfSuite() {
  afterEach(() => own.closeAll());
  const inFolder = folderOfTest();
  const open: IndexDatabase[] = [];
  const own = {
    folder: '',
    path: '',
    locationAt: (file: string, over?: Partial<IndexLocation>): IndexLocation => ({
      ...indexLocation({
        where: { file },
        maxMegabytes: 32,
        owner: { store: 'http://store', deployment: 'customer' },
        database: join(own.folder, 'dashboard.sqlite'),
        port: 3000,
        memory: PLENTY,
      }),
      ...over,
    }),
    opened({ now = NOW, empty = false, ...at }: { location?: IndexLocation; now?: number; empty?: boolean } = {}) {
      const index = openIndex(at.location ?? own.locationAt(own.path), { now, empty });
      open.push(index.database);
      return { ...index, commands: indexCommands(index.database) };
    },
    /** Leaves a closed file with people that were synced completely an hour ago. */
    left(identities = 3): void {
      const { database, problem, commands } = own.opened({ now: NOW - HOUR_MS });
      assert.equal(problem, undefined);
      commands.putIdentities(pageOf(range(identities)), 7);
      commands.removeUnseen('identities', 7, 0);
      commands.saveFullSync('identities', { fullAt: NOW - HOUR_MS, fits: true });
      database.close();
    },
    closeAll(): void {
      for (const database of open.splice(0)) database.close();
    },
  };
  beforeEach(() => {
    own.folder = inFolder();
    own.path = inFolder('people.index');
  });
  return own;
}
