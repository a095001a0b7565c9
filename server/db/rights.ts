import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from './database.ts';
import type { DatabaseAddress } from './database-address.ts';

/** What the service does with rows, and what migrations do with tables. */
const ROWS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];
const TABLES = ['CREATE', 'ALTER', 'INDEX'];

/** Rights of the service's database user that are missing. */
export interface MissingRights {
  rows: readonly string[];
  tables: readonly string[];
  /** A SQLite file, or the folder that it is or will be in, which is not writable. */
  unwritable?: string;
}

const QUERY_TIMEOUT_MS = 3_000;

/**
 * Read from the server's grants, or from the file's permissions: nothing is written.
 * @returns undefined if the grants do not tell, for example because they come from a role
 */
export async function missingRights(
  { client, knex }: Pick<Database, 'client' | 'knex'>,
  address: DatabaseAddress,
): Promise<MissingRights | undefined> {
  if (client === 'sqlite') return address.client === 'sqlite' ? fileRights(address.path) : undefined;
  const [[row]]: [{ name: string }[]] = await knex.raw('select database() as name').timeout(QUERY_TIMEOUT_MS);
  const [rows]: [Record<string, string>[]] = await knex.raw('show grants for current_user()').timeout(QUERY_TIMEOUT_MS);
  return rightsIn(
    rows.flatMap((each) => Object.values(each)),
    row?.name ?? '',
  );
}

/** @param grants lines of `SHOW GRANTS` @param name of the database */
export function rightsIn(grants: readonly string[], name: string): MissingRights | undefined {
  const granted = new Set<string>();
  let unclear = false;
  for (const grant of grants) {
    const [, rights = '', scope = ''] = /^GRANT (.+?) ON (\S+) TO /.exec(grant) ?? [];
    if (scope === '' || rights.includes('(')) unclear = true;
    else if (covers(scope, name)) for (const right of rights.split(', ')) granted.add(right);
    else unclear ||= !scope.endsWith('.*');
  }
  const missing = (wanted: readonly string[]): string[] =>
    granted.has('ALL PRIVILEGES') ? [] : wanted.filter((right) => !granted.has(right));
  const found = { rows: missing(ROWS), tables: missing(TABLES) };
  return unclear && found.rows.length + found.tables.length > 0 ? undefined : found;
}

/** A scope names a database with the wildcards of LIKE: `` `dash\_board`.* ``. */
function covers(scope: string, name: string): boolean {
  if (scope === '*.*') return true;
  const [, pattern] = /^`(.+)`\.\*$/.exec(scope) ?? [];
  if (pattern === undefined) return false;
  const source = pattern.replace(/\\([%_])|([%_])|([^\w])/g, (_all, escaped, wild, other) =>
    escaped !== undefined ? escaped : wild === undefined ? `\\${other}` : wild === '%' ? '.*' : '.',
  );
  return new RegExp(`^${source}$`, 's').test(name);
}

/** The folder, too: the write-ahead log is created next to the file; a file that is missing, with its folders. */
function fileRights(path: string): MissingRights {
  const enough = { rows: [], tables: [] };
  if (existsSync(path) && !isWritable(path)) return { ...enough, unwritable: path };
  let folder = dirname(path);
  while (!existsSync(folder)) folder = dirname(folder);
  // With the dot, a file in the way is no folder.
  return isWritable(`${folder}/.`) ? enough : { ...enough, unwritable: folder };
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
