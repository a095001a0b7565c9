import type SqliteDatabase from 'better-sqlite3';
import { SqliteConnection } from '../db/sqlite-driver.ts';

/** “IdIx”: says that a file is ours. */
export const APPLICATION_ID = 0x49644978;
/** Raised with any change of the tables: a file of another format is built anew. */
export const FORMAT = 1;

const PAGE_BYTES = 4096;

/** Times are milliseconds since the epoch, 0 for none. A document is what `documentOf` makes of a person's texts. */
const TABLES = `
  create table facts (name text primary key, value text not null) without rowid;
  create table schemas (number integer primary key, id text not null unique);
  create table people (
    number integer primary key,
    id blob not null unique,
    schema integer not null,
    active integer not null,
    -- 1 with a verified address, 0 with addresses but no verified one, 2 without any.
    verified integer not null,
    created integer not null,
    updated integer not null,
    last_session integer not null default 0,
    identifier text not null,
    document text not null,
    pass integer not null
  );
  create index people_created on people (created, id);
  create index people_updated on people (updated, id);
  create index people_identifier on people (identifier, id);
  create index people_last_session on people (last_session, id);
  create index people_schema on people (schema);
  create index people_state on people (active) where active = 0;
  create index people_verified on people (verified) where verified <> 1;
  create virtual table texts using fts5(
    document, content='people', content_rowid='number', columnsize=0, detail=full, tokenize="trigram case_sensitive 1"
  );
  insert into texts (texts, rank) values ('secure-delete', 1);

  create table places (
    number integer primary key,
    label text not null,
    lat real not null,
    lng real not null,
    unique (label, lat, lng)
  );
  create table sessions (
    number integer primary key,
    id blob not null unique,
    person blob not null,
    active integer not null,
    issued integer not null,
    authenticated integer not null,
    expires integer not null,
    place integer not null,
    device text not null,
    pass integer not null
  );
  create index sessions_person on sessions (person, authenticated);
  create index sessions_authenticated on sessions (authenticated, id);

  create table clients (
    id text primary key,
    grants text not null,
    document text not null,
    pass integer not null
  ) without rowid;
`;

export type IndexDatabase = SqliteDatabase.Database;

/** Kept for removing, which needs room of its own. */
const RESERVE = 0.05;

/** Whether nothing should be added. */
export function isFull(database: IndexDatabase): boolean {
  const pages = (name: string): number => database.pragma(name, { simple: true }) as number;
  return pages('page_count') - pages('freelist_count') > pages('max_page_count') * (1 - RESERVE);
}

/** @param maxBytes what it may take */
export function openInMemory(maxBytes: number): IndexDatabase {
  const database = new SqliteConnection(':memory:');
  return prepared(database, maxBytes);
}

function prepared(database: IndexDatabase, maxBytes: number): IndexDatabase {
  database.pragma(`page_size = ${PAGE_BYTES}`);
  database.pragma('journal_mode = memory');
  database.pragma('synchronous = off');
  database.pragma('secure_delete = on');
  database.pragma(`application_id = ${APPLICATION_ID}`);
  database.pragma(`user_version = ${FORMAT}`);
  database.exec(TABLES);
  database.pragma(`max_page_count = ${Math.max(Math.floor(maxBytes / PAGE_BYTES), 64)}`);
  return database;
}
