import type { RequestHandler, Response } from 'express';
import type { Role, RoleSource } from '../../../shared/capabilities.ts';
import { type JsonObject, keysOf, membersOf } from '../../../shared/json.ts';
import type { Upstream } from '../../config/config.ts';
import { ApiError } from '../../http/errors.ts';
import { jsonAhead } from '../../http/read-ahead.ts';
import { identityIn, segmentsRead, uuidDigits } from './paths.ts';
import { foldCase } from './record-write.ts';

/**
 * Whether a path leads to private keys (`/admin/keys/**` or `/keys/**`), however another server could read it.
 * @param target path and query at the upstream
 */
export function isRefusedPath(upstream: Upstream, target: string): boolean {
  if (!upstream.holdsPrivateKeys || !/key|%/i.test(target)) return false;
  const segments = segmentsRead(target);
  return segments === undefined || segments[segments[0] === 'admin' ? 1 : 0] === 'keys';
}

/** Who is signed in, and what an identity needs to sign in. */
export interface OperatorAccounts {
  roleFrom: RoleSource;
  /** Identities of other schemas may not sign in; undefined if all may. */
  schemaIds: readonly string[] | undefined;
  signedIn(res: Response): { identityId: string; role: Role } | undefined;
}

/**
 * Keeps operators from locking themselves out: they cannot delete or deactivate the identity they are signed in as,
 * change its role, or move it to a schema that may not sign in. The body of a request is read only if it writes to that
 * identity, and then forwarded unchanged. Applies to every identity store: two addresses may lead to the same one, and
 * no two stores have the same id, which is random.
 */
export function keepOwnAccount({ signedIn, ...rules }: OperatorAccounts, timeoutMs: number): RequestHandler {
  return (req, res, next) => {
    const operator = req.method in LOCKS_OUT ? signedIn(res) : undefined;
    if (operator === undefined || !mayBelongTo(req.url, operator.identityId)) return next();
    if (req.method === 'DELETE') return next(new ApiError('own_account'));
    const end = (error?: unknown): void => {
      if (!res.destroyed) next(error);
    };
    jsonAhead(req, timeoutMs).then((body) => {
      const locksOut = LOCKS_OUT[req.method]?.(body, { ...rules, role: operator.role });
      end(locksOut ? new ApiError('own_account') : undefined);
    }, end);
  };
}

function mayBelongTo(target: string, id: string): boolean {
  const named = identityIn(target);
  return named === 'unclear' || (named?.below.length === 0 && named.digits === uuidDigits(id));
}

type Rules = Pick<OperatorAccounts, 'roleFrom' | 'schemaIds'> & { role: Role };

/** For each method, whether a body deactivates the identity, changes its role, or moves it to a schema of others. */
const LOCKS_OUT: Record<string, (body: unknown, rules: Rules) => boolean> = {
  DELETE: () => true,
  PATCH: (body, rules) => Array.isArray(body) && body.some((operation) => touches(membersOf(operation), rules)),
  PUT: (body, { roleFrom, schemaIds, role }) => {
    const [above = '', name = ''] = roleFrom.split('.');
    const values = (key: string): unknown[] =>
      Object.entries(membersOf(body)).flatMap(([member, value]) => (foldCase(member) === key ? [value] : []));
    const holders = values(above);
    return (
      // Of a member that is named twice, Go takes the last that is not null.
      values('state').some((state) => state !== 'active') ||
      values('schema_id').some((id) => !maySignIn(id, schemaIds)) ||
      holders.length === 0 ||
      holders.some((holder) => membersOf(holder)[name] !== role)
    );
  },
};

const maySignIn = (schemaId: unknown, schemaIds: Rules['schemaIds']): boolean =>
  schemaIds === undefined || schemaIds.some((id) => id === schemaId);

/** Whether an operation of a JSON Patch changes the state, the role or the schema, or a member above or below. */
function touches({ op, path, from, value }: JsonObject, { roleFrom, schemaIds }: Rules): boolean {
  if (op === 'test') return false;
  const sets = op === 'add' || op === 'replace';
  if (path === '/schema_id' && sets && maySignIn(value, schemaIds)) return false;
  const guarded = [['state'], roleFrom.split('.'), ...(schemaIds === undefined ? [] : [['schema_id']])];
  return [path, op === 'move' ? from : undefined].some((pointer) => {
    if (typeof pointer !== 'string') return false;
    const segments = keysOf(pointer).map(foldCase);
    return guarded.some((names) => names.every((name, at) => at >= segments.length || segments[at] === name));
  });
}
