import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCipher } from '../../server/crypto/cipher.ts';
import type { Database } from '../../server/db/database.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { migrate, openDatabase } from '../../server/db/open-database.ts';
import { createSettingsVault, type SettingsVault } from '../../server/settings/vault.ts';
import { silentLog } from '../support/context.ts';
import { startMariadb } from '../support/mariadb-server.ts';
import { auditOn } from '../support/vault.ts';
import { type Figures, ratios } from './ratios.ts';

const FEW = 1_000;
const CATEGORIES = 20;

const keyOf = (index: number): string => `service.${index % 7}.setting.${String(index).padStart(7, '0')}`;

async function filled(url: string, settings: number): Promise<Database> {
  const database = openDatabase(parseDatabaseUrl(url), { warn: () => {} });
  await migrate(database, silentLog);
  const rows = Array.from({ length: settings }, (_, index) => ({
    key: keyOf(index),
    value: 'x'.repeat(40),
    encrypted: 0,
    // The last category has as many settings in either database.
    category: index < 40 ? 'few' : `category ${index % CATEGORIES}`,
    updated_at: '2026-01-01T00:00:00.000Z',
  }));
  await database.transaction(async (trx) => {
    // SQLite takes at most 500 rows at once.
    for (let from = 0; from < settings; from += 500) await trx('settings').insert(rows.slice(from, from + 500));
  });
  if (database.client === 'mysql') await database.knex.raw('analyze table settings');
  return database;
}

function vaultOn(database: Database): SettingsVault {
  const cipher = createCipher({ current: 'bench encryption key 0123456789 ijklmnop' });
  return createSettingsVault({ database, cipher, ...auditOn(database), onChange: () => {}, now: Date.now });
}

async function listed(vault: SettingsVault, category: string): Promise<void> {
  for await (const _ of vault.list(category));
}

/** What reading settings takes among so many and among a thousand, on both databases: microseconds, and their ratio. */
export async function settingsGrowth(settings: number): Promise<Record<string, Figures>> {
  const directory = await mkdtemp(join(tmpdir(), 'settings-growth-'));
  const server = await startMariadb({ args: ['--innodb-flush-log-at-trx-commit=0'] });
  const page = { after: '', size: 200, category: undefined, contains: undefined };
  const results: Record<string, Figures> = {};
  try {
    for (const [title, url] of [
      ['Settings on SQLite', async (name: string) => `sqlite:${join(directory, name)}`],
      ['Settings on MariaDB', () => server.createDatabase()],
    ] as const) {
      const databases = [await filled(await url('few'), FEW), await filled(await url('many'), settings)];
      const [few, many] = databases.map(vaultOn) as [SettingsVault, SettingsVault];
      const middle = (of: number): { after: string } => ({ after: keyOf(Math.floor(of / 2)) });
      results[title] = await ratios(title, FEW, settings, {
        'one by its key': [() => few.get(keyOf(7)), () => many.get(keyOf(7))],
        'a category of forty': [() => listed(few, 'few'), () => listed(many, 'few')],
        'the first page': [() => few.page(page), () => many.page(page)],
        'a page in the middle': [
          () => few.page({ ...page, ...middle(FEW) }),
          () => many.page({ ...page, ...middle(settings) }),
        ],
      });
      for (const database of databases) await database.close();
    }
    return results;
  } finally {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  }
}
