import { hash } from 'node:crypto';
import type { Knex } from 'knex';
import { CLAIMS_OPERATOR } from '../../shared/security.ts';
import { type Database, deleteOldRows } from '../db/database.ts';

/** An operator by claims, who has no identity. Times are in ISO 8601 and UTC. */
export interface ClaimsOperator {
  id: string;
  issuer: string;
  sub: string;
  email: string;
  name: string | null;
  role: string;
  last_sign_in: string;
}

/** Identifies a subject of an issuer: never a UUID, so that it cannot be confused with an identity. */
export const claimsOperatorId = (issuer: string, sub: string): string =>
  `${CLAIMS_OPERATOR}${hash('sha256', `${issuer}\0${sub}`).slice(0, 32)}`;

const DAY_MS = 86_400_000;
const DAYS = 400;

/** The operators by claims who signed in within the last 400 days: the only place with their names. */
export function claimsOperators({ database, now }: { database: Database; now: () => number }) {
  const columns = 'select id, issuer, sub, email, name, role, last_sign_in from claims_operators';
  const all = database.statement<ClaimsOperator>(`${columns} order by last_sign_in desc limit ?`);
  const withId = database.statement<ClaimsOperator>(`${columns} where id = ?`);

  return {
    /** Stores a sign-in, in its transaction. */
    async record(operator: Omit<ClaimsOperator, 'last_sign_in'>, trx: Knex.Transaction): Promise<void> {
      const row = { ...operator, last_sign_in: new Date(now()).toISOString() };
      await trx('claims_operators').insert(row).onConflict('id').merge();
    },
    /** The latest sign-in first. */
    latest: (max: number): Promise<ClaimsOperator[]> => all.all(max),
    find: (id: string): Promise<ClaimsOperator | undefined> => withId.get(id),
    /** Removes those who have not signed in for 400 days. */
    prune: () =>
      deleteOldRows(database, {
        table: 'claims_operators',
        column: 'last_sign_in',
        below: new Date(now() - DAYS * DAY_MS).toISOString(),
      }),
  };
}
export type ClaimsOperators = ReturnType<typeof claimsOperators>;
