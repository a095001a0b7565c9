import { hash } from 'node:crypto';
import type { Router } from 'express';
import { can } from '../../../shared/capabilities.ts';
import {
  LOCKED_ACCOUNTS_MAX,
  LOCKED_IDENTIFIER_MAX_CHARACTERS,
  LOCKED_IDENTIFIERS_MAX,
  type LockedAccount,
  type LockedAccountList,
} from '../../../shared/security.ts';
import { withReason } from '../../audit/event.ts';
import type { AuditTrail } from '../../audit/trail.ts';
import type { Database } from '../../db/database.ts';
import { bodyFields, labelField, textField } from '../../http/bodies.ts';
import { ApiError, badRequest } from '../../http/errors.ts';
import type { RateLimit } from '../../http/limits.ts';
import { reasonOf, textParameter } from '../../http/parameters.ts';
import { pathRoutes } from '../../http/response.ts';
import { sessionOf } from '../../session/session-verifier.ts';
import type { OperatorGuard } from '../../upstream/operator-guard.ts';

type Row = Omit<LockedAccount, 'id'>;
const COLUMNS = 'identifier, reason, attempts, trigger_ip, locked_at, locked_until';

/** A current lock has no end, or one in the future. Each of these conditions reads one range of the index. */
const eachLocked = (query: (condition: string) => string): string =>
  ['locked_until is null', 'locked_until > ?'].map(query).join(' union all ');

/** Accounts locked by the platform's login page, in a table that it writes. */
export function lockedAccounts(options: { database: Database; audit: AuditTrail; now: () => number }) {
  const { database, audit, now } = options;
  const rows = database.statement<Row>(
    `select * from (${eachLocked(
      (condition) => `select * from
        (select ${COLUMNS} from locked_accounts
         where ${condition} order by locked_at desc limit ${LOCKED_ACCOUNTS_MAX}) as newest`,
    )}) as merged order by locked_at desc, identifier limit ${LOCKED_ACCOUNTS_MAX}`,
  );
  const count = database.statement<{ total: number }>(
    `select sum(n) as total from
       (${eachLocked((condition) => `select count(*) as n from locked_accounts where ${condition}`)}) as counted`,
  );
  const one = database.statement<Row>(
    `select ${COLUMNS} from locked_accounts where identifier = ? and (locked_until is null or locked_until > ?)`,
  );
  const currentTime = (): string => new Date(now()).toISOString();
  const listed = (row: Row): LockedAccount => ({ id: idOf(row.identifier), ...row });

  return {
    async list(): Promise<LockedAccountList> {
      const at = currentTime();
      const [found, counted] = await Promise.all([rows.all(at), count.get(at)]);
      const data = found.map(listed);
      const total = Math.max(Number(counted?.total ?? 0), data.length);
      return { data, total, truncated: total > data.length };
    },
    /** The locks of these identifiers, trimmed and in lower case; at most `LOCKED_IDENTIFIERS_MAX`. */
    async locksOf(identifiers: readonly string[]): Promise<LockedAccountList> {
      const at = currentTime();
      const found = await Promise.all(identifiers.map((identifier) => one.all(identifier, at)));
      const data = found.flat().map(listed);
      return { data, total: data.length, truncated: false };
    },
    /** Removes the lock and records its removal in one transaction. @returns whether the account was locked */
    unlock: (identifier: string, actor: string, reason?: string): Promise<boolean> =>
      database.transaction(async (trx) => {
        await audit.lock(trx);
        const at = currentTime();
        const row: Row | undefined = await trx<Row>('locked_accounts')
          .where({ identifier })
          .where((locked) => locked.whereNull('locked_until').orWhere('locked_until', '>', at))
          .forUpdate()
          .first('reason', 'attempts', 'locked_until');
        if (row === undefined) return false;
        await trx('locked_accounts').where({ identifier }).delete();
        // Records of 0.2.0 have it as `reason`.
        const details = { lock_reason: row.reason, attempts: row.attempts, locked_until: row.locked_until };
        const record = { action: 'account_unlock', actor, target: identifier } as const;
        await audit.record({ ...record, ...withReason(reason, details) }, trx);
        return true;
      }),
  };
}
export type LockedAccounts = ReturnType<typeof lockedAccounts>;

const idOf = (identifier: string): string => hash('sha256', identifier, 'base64url').slice(0, 22);

/**
 * `GET /api/security/locked-accounts`, for some identifiers or all, and `POST …/unlock`.
 * @param limit for unlocks per session
 * @param refuseOperators called unless the operator may act on operators' accounts
 */
export const lockedAccountsRouter = (
  accounts: LockedAccounts,
  limit: RateLimit,
  refuseOperators: OperatorGuard,
): Router =>
  pathRoutes({
    'GET /': async (req, res) => {
      const identifiers = parseIdentifiers(req.query['identifier']);
      res.json(await (identifiers === undefined ? accounts.list() : accounts.locksOf(identifiers)));
    },
    'POST /unlock': async (req, res) => {
      const identifier = parseIdentifier(req.body);
      const { identityId, sessionId, role } = sessionOf(res);
      limit.use(sessionId);
      if (!can(role, 'operators.write')) await refuseOperators({ identifier }, identityId);
      if (!(await accounts.unlock(identifier, identityId, reasonOf(req))))
        throw new ApiError('not_found', { message: 'This account is not locked.' });
      res.json({ success: true });
    },
  });

/** Trimmed and in lower case, as the login page writes them; undefined for all. @throws 400 that names the parameter */
function parseIdentifiers(identifier: unknown): string[] | undefined {
  if (identifier === undefined || identifier === '') return undefined;
  const values: unknown[] = [identifier].flat();
  if (values.length > LOCKED_IDENTIFIERS_MAX)
    throw badRequest('identifier', `must be given at most ${LOCKED_IDENTIFIERS_MAX} times`);
  const refusal = () =>
    badRequest('identifier', `must be 1 to ${LOCKED_IDENTIFIER_MAX_CHARACTERS} characters without control characters`);
  const texts = values.map((value) => {
    const text = textParameter(value, LOCKED_IDENTIFIER_MAX_CHARACTERS, refusal)?.trim().toLowerCase();
    if (!text) throw refusal();
    return text;
  });
  return [...new Set(texts)];
}

/** Trimmed and in lower case, as the login page writes it. @throws 400 that names the field */
function parseIdentifier(body: unknown): string {
  const { identifier } = bodyFields(body, ['identifier']);
  const text = textField('identifier', identifier).trim().toLowerCase();
  return labelField('identifier', text, LOCKED_IDENTIFIER_MAX_CHARACTERS);
}
