import type { IncomingMessage } from 'node:http';
import type { RequestHandler, Response } from 'express';
import type { Role, RoleSource } from '../../../shared/capabilities.ts';
import { attempt, isObject, type JsonObject, membersOf } from '../../../shared/json.ts';
import type { UpstreamName } from '../../../shared/upstreams.ts';
import type { Upstream } from '../../config/config.ts';
import { ApiError } from '../../http/errors.ts';
import { folded, segmentsOf } from './record-write.ts';

/**
 * Whether a path leads to private keys (`/admin/keys/**` or `/keys/**`), however another server could read it.
 * @param target path and query at the upstream
 */
export function isRefusedPath(upstream: Upstream, target: string): boolean {
  if (!upstream.holdsPrivateKeys || !/key|%/i.test(target)) return false;
  const segments = segmentsRead(target);
  return segments === undefined || segments[segments[0] === 'admin' ? 1 : 0] === 'keys';
}

/** As the most lenient server could read them; undefined if a path is encoded too many times or hides a dot segment. */
function segmentsRead(target: string): string[] | undefined {
  const path = fullyDecoded(target.split('?', 1)[0] ?? '');
  if (path === undefined) return undefined;
  const segments: string[] = [];
  for (const part of path.replaceAll('\\', '/').toLowerCase().split('/')) {
    const segment = part.split(/[;?#]/, 1)[0]?.trim() ?? '';
    // Normalisation left it encoded, and servers disagree on the segment that it removes.
    if (segment === '..') return undefined;
    if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments;
}

/** Decodes until nothing changes, since the next server may decode again; undefined if that takes too many rounds. */
function fullyDecoded(path: string, rounds = 5): string | undefined {
  const decoded = path.replace(/%([0-9a-f]{2})/gi, (_match, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  if (decoded === path) return path;
  return rounds === 0 ? undefined : fullyDecoded(decoded, rounds - 1);
}

/** Where the operators' identities are, and who is signed in. */
export interface OperatorAccounts {
  /** The admin APIs that reach the operators' store. */
  stores: readonly UpstreamName[];
  roleFrom: RoleSource;
  signedIn(res: Response): { identityId: string; role: Role } | undefined;
}

/**
 * Keeps operators from locking themselves out: they cannot delete or deactivate the identity they are signed in as, or
 * change its role. The body of a request is read only if it writes to that identity, and then forwarded unchanged.
 */
export function keepOwnAccount({ roleFrom, signedIn }: OperatorAccounts, timeoutMs: number): RequestHandler {
  return (req, res, next) => {
    const locksOut = LOCKS_OUT[req.method];
    const operator = locksOut && signedIn(res);
    if (locksOut === undefined || operator === undefined || !isIdentity(req.url, operator.identityId)) return next();
    if (req.method === 'DELETE') return next(new ApiError('own_account'));
    const refuse = (error: unknown): void => {
      // Discard the rest of the body; otherwise the connection would be stuck.
      req.resume();
      if (!res.destroyed) next(error);
    };
    if ((req.headers['content-encoding'] ?? 'identity') !== 'identity')
      return refuse(new ApiError('unsupported_media_type', { message: 'Content codings are not supported here.' }));
    peeked(req, timeoutMs)
      .then((bytes) => {
        const body = attempt<unknown>(() => JSON.parse(bytes.toString('utf8')));
        if (!isObject(body) && !Array.isArray(body))
          refuse(new ApiError('bad_request', { message: 'The request body is not valid JSON.' }));
        else if (locksOut(body, roleFrom.split('.'), operator.role)) refuse(new ApiError('own_account'));
        else next();
      })
      .catch(refuse);
  };
}

/** For each method, whether a body deactivates the identity or changes its role, which is at this path. */
const LOCKS_OUT: Record<string, (body: unknown, path: readonly string[], role: Role) => boolean> = {
  DELETE: () => true,
  PATCH: (body, path) => Array.isArray(body) && body.some((operation) => touches(membersOf(operation), path)),
  PUT: (body, [above = '', name = ''], role) => {
    const values = (key: string): unknown[] =>
      Object.entries(membersOf(body)).flatMap(([member, value]) => (folded(member) === key ? [value] : []));
    const holders = values(above);
    return (
      values('state').some((state) => state !== 'active' && state !== null && state !== '') ||
      holders.length === 0 ||
      holders.some((holder) => membersOf(holder)[name] !== role)
    );
  },
};

/** Whether an operation of a JSON Patch changes the state or the role, or a member above or below either. */
function touches({ op, path, from }: JsonObject, rolePath: readonly string[]): boolean {
  if (op === 'test') return false;
  return [path, op === 'move' ? from : undefined].some((pointer) => {
    if (typeof pointer !== 'string') return false;
    const segments = segmentsOf(pointer).map(folded);
    return [['state'], rolePath].some((guarded) =>
      guarded.every((name, at) => at >= segments.length || segments[at] === name),
    );
  });
}

/** Whether a path belongs, or may belong, to this identity, in any spelling of the UUID that a store may accept. */
function isIdentity(target: string, id: string): boolean {
  const segments = segmentsRead(target);
  if (segments === undefined) return true;
  const [kind, named = '', ...below] = segments[0] === 'admin' ? segments.slice(1) : segments;
  return kind === 'identities' && below.length === 0 && digitsOf(named) === digitsOf(id.toLowerCase());
}

const digitsOf = (uuid: string): string => uuid.replace(/^\{?urn:uuid:/, '').replaceAll(/[^0-9a-f]/g, '');

/** Reads a body and puts it back. @throws ApiError 413 if it is too large, 408 if it does not arrive in time */
function peeked(req: IncomingMessage, timeoutMs: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const fail = (error: unknown): void => {
      leave();
      reject(error);
    };
    const read = (): void => {
      for (let chunk: Buffer | null = req.read(); chunk !== null; chunk = req.read()) {
        chunks.push(chunk);
        bytes += chunk.length;
      }
      if (bytes > 65_536) fail(new ApiError('payload_too_large'));
      else if (req.complete) end();
    };
    const end = (): void => {
      leave();
      const body = Buffer.concat(chunks);
      // This is possible because the stream has not emitted `end` yet: it runs in the turn that read the last byte.
      if (bytes > 0) req.unshift(body);
      resolve(body);
    };
    const closed = (): void => fail(new ApiError('bad_request'));
    const timer = setTimeout(
      () => fail(new ApiError('request_timeout', { headers: { Connection: 'close' } })),
      timeoutMs,
    );
    const leave = (): void => {
      clearTimeout(timer);
      req.off('readable', read).off('end', end).off('close', closed);
    };
    req.on('readable', read).on('end', end).on('close', closed);
  });
}
