import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type IndexCommands, indexCommands } from '../../server/search-index/commands.ts';
import type { IndexDatabase } from '../../server/search-index/database.ts';
import { type IndexLocation, indexLocation, openIndex } from '../../server/search-index/file.ts';
import { PLENTY } from './context.ts';

export const HOUR_MS = 3_600_000;
/** When the suites' files are opened. */
export const NOW = Date.UTC(2026, 0, 2);

/** People of a made-up store, by number. */
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

interface OpenedIndex {
  database: IndexDatabase;
  problem: string | undefined;
  commands: IndexCommands;
}

/** A folder for each test of a suite, and a file in it that the index may be kept in. */
export interface IndexFiles {
  folder: string;
  path: string;
  locationAt(file: string, over?: Partial<IndexLocation>): IndexLocation;
  opened(at?: Partial<{ location: IndexLocation; now: number }>): OpenedIndex;
  /** Leaves a file with some people in it, read to their end an hour ago. */
  left(people?: number): void;
  closeAll(): void;
}

export function indexFilesOfSuite(): IndexFiles {
  const open: IndexDatabase[] = [];
  const own: IndexFiles = {
    folder: '',
    path: '',
    locationAt: (file, over) => ({
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
    opened({ location = own.locationAt(own.path), now = NOW } = {}) {
      const index = openIndex(location, { now, empty: false });
      open.push(index.database);
      return { ...index, commands: indexCommands(index.database) };
    },
    left(people = 3) {
      const { database, problem, commands } = own.opened({ now: NOW - HOUR_MS });
      assert.equal(problem, undefined);
      commands.putPeople(pageOf(range(people)), 7);
      commands.removeUnseen('people', 7, 0);
      commands.saveFullSync('people', { fullAt: NOW - HOUR_MS, fits: true });
      database.close();
    },
    closeAll() {
      for (const database of open.splice(0)) database.close();
    },
  };
  beforeEach(async () => {
    own.folder = await mkdtemp(join(tmpdir(), 'index-file-'));
    own.path = join(own.folder, 'people.index');
  });
  afterEach(async () => {
    own.closeAll();
    await rm(own.folder, { recursive: true, force: true });
  });
  return own;
}
