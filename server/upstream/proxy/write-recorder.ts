import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { BodyCopy } from './body-copies.ts';
import { changedMembers } from './changed-members.ts';

/** The audit record of a write through an admin prefix, without query and body. */
export interface ProxiedWrite {
  action: 'proxy_write';
  /** The operator's identity id, or `anonymous`. */
  actor: string;
  /** Prefix and path. */
  target: string;
  /**
   * `status` is null if no response began; `peer` is the client as far as trusted proxies vouch for it; `location` is
   * the path of what a 201 created; `changed` are the members that a JSON body names, without their values.
   */
  details: {
    method: string;
    status: number | null;
    peer: string | null;
    location?: string;
    changed?: readonly string[];
    state?: 'active' | 'inactive';
  };
}

export interface WriteRecorder {
  /** The body is about to be streamed to the upstream. */
  bodyBegins(): void;
  /** Records the write, on its first call only. @param location of what was created, already mapped to our prefix */
  record(status: number | null, location?: string): Promise<void>;
}

/** The longest path in an audit record. */
const AUDITED_CHARACTERS = 1024;
const JSON_TYPES = ['application/json', 'application/json-patch+json'];
/** Of consents, logins, introspection and tokens; recovery; keys. */
const UNREAD_PATH = /^\/+(?:admin\/+)?(?:oauth2|recovery|keys)(?:[/;]|$)/i;
/** The body of a batch is about many people, and its record about none of them. */
const BATCH = /^\/+(?:admin\/+)?identities\/*$/i;

/** Prefix and path, without the query, truncated. */
const auditedPath = (url: string): string => url.split('?', 1)[0]?.slice(0, AUDITED_CHARACTERS) ?? '';

/** Records each forwarded write once: when its response begins, or else when the exchange is over. */
export function writeRecorder(
  req: Request,
  res: Response,
  deps: {
    operator(res: Response): string | undefined;
    clientAddress(req: Request): string | undefined;
    copyOf(req: IncomingMessage): BodyCopy;
    recordWrite(event: ProxiedWrite): Promise<void>;
  },
): WriteRecorder {
  const { method, originalUrl } = req;
  const peer = deps.clientAddress(req) ?? null;
  const copy = isJson(req) && isRead(method, req.url) ? deps.copyOf(req) : undefined;
  let recorded: Promise<void> | undefined;

  function members(): Pick<ProxiedWrite['details'], 'changed' | 'state'> {
    const body = copy?.take();
    if (body === undefined) return {};
    // Kratos and Hydra take a patch under either type.
    const { changed, state } = changedMembers(body, method === 'PATCH');
    return { ...(changed.length > 0 && { changed }), ...(state !== undefined && { state }) };
  }

  function event(status: number | null, location: string | undefined): ProxiedWrite {
    // Of a creation (RFC 9110, section 15.3.2).
    const created = status === 201 && location !== undefined ? { location: auditedPath(location) } : {};
    return {
      action: 'proxy_write',
      actor: deps.operator(res) ?? 'anonymous',
      target: auditedPath(originalUrl),
      details: { method, status, peer, ...created, ...members() },
    };
  }

  function record(status: number | null, location?: string): Promise<void> {
    recorded ??= deps.recordWrite(event(status, location));
    return recorded;
  }
  res.once('close', () => void record(res.headersSent ? res.statusCode : null));
  return { bodyBegins: () => copy?.begin(), record };
}

/** Not if its coding would have to be undone. */
function isJson({ headers }: Request): boolean {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return JSON_TYPES.includes(type) && headers['content-encoding'] === undefined;
}

function isRead(method: string, url: string): boolean {
  const path = decoded(url.split('?', 1)[0] ?? '');
  return path !== undefined && !UNREAD_PATH.test(path) && !(method === 'PATCH' && BATCH.test(path));
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
