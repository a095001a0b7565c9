import type { Request, Response } from 'express';
import { attempt, isObject, type JsonObject, keysOf } from '../../../shared/json.ts';
import type { UpstreamName } from '../../../shared/upstreams.ts';
import { reasonOf } from '../../http/parameters.ts';
import type { bodyCopies } from './body.ts';

/** The maximum number of segments in a recorded pointer; deeper members are recorded as the one at this depth. */
const MAX_DEPTH = 8;
const PLAIN = /^[A-Za-z0-9_-]{1,64}$/;
/** Members below which names may be free text or secrets. */
const GUARDED: ReadonlySet<string> = new Set(['metadata', 'metadata_public', 'metadata_admin', 'credentials', 'jwks']);

/** Folds a name as Go does, which ignores case in JSON members by Unicode's simple folding. */
export const foldCase = (segment: string): string => segment.toUpperCase().toLowerCase();

/**
 * The JSON pointer of a member as it is recorded: a segment that could be a value, such as an address, becomes `*`, and
 * only one segment below a guarded member is recorded.
 */
function recordedPointer(segments: readonly string[]): string {
  const guard = segments.findIndex((segment) => GUARDED.has(foldCase(segment)));
  const recorded = segments.slice(0, Math.min(MAX_DEPTH, guard === -1 ? MAX_DEPTH : guard + 2));
  return recorded.map((segment) => `/${PLAIN.test(segment) ? segment : '*'}`).join('');
}

const MAX_NAMES = 20;
/** The limit of all names together, since records that wait for the database are in memory. */
const MAX_CHARACTERS = 2048;

/**
 * The members that a write sets or removes, as JSON pointers in the order of the body, without values. None for a body
 * that is neither an object nor a patch. `state` is the only recorded value; undefined if it is ambiguous.
 * @param patch whether a list is a JSON Patch (RFC 6902)
 */
export function changedMembers(bytes: Uint8Array, patch: boolean) {
  const names = new Set<string>();
  let characters = 0;
  let isFull = false;
  let state: unknown;
  let isAmbiguous = false;

  function noteName(segments: readonly string[]): void {
    const name = recordedPointer(segments);
    if (isFull || names.has(name)) return;
    isFull = names.size === MAX_NAMES || characters + name.length > MAX_CHARACTERS;
    if (isFull) return;
    names.add(name);
    characters += name.length;
  }

  function noteState(member: string, value: unknown): void {
    if (foldCase(member) !== 'state') return;
    state = value;
    // The server decides whether `state` or `State` counts.
    if (member !== 'state') isAmbiguous = true;
  }

  function noteBody(body: JsonObject): void {
    for (const [member, value] of Object.entries(body)) noteState(member, value);
    noteMembers(body, []);
  }

  /** Notes the path of every member that has no members of its own; a list counts as one. */
  function noteMembers(members: JsonObject, above: readonly string[]): void {
    for (const [name, value] of Object.entries(members)) {
      if (isFull) return;
      const segments = [...above, name];
      if (segments.length < MAX_DEPTH && isObject(value) && Object.keys(value).length > 0) noteMembers(value, segments);
      else noteName(segments);
    }
  }

  function noteOperation({ op, path, from, value }: JsonObject): void {
    const isMoved = op === 'move' || op === 'copy';
    if (typeof path !== 'string' || !(isMoved || op === 'add' || op === 'replace' || op === 'remove')) return;
    if (op === 'move' && typeof from === 'string') noteMember(keysOf(from), undefined);
    // The empty pointer is the whole document.
    if (path === '' && isObject(value)) noteBody(value);
    else noteMember(keysOf(path), isMoved || op === 'remove' ? undefined : value);
  }

  function noteMember(segments: readonly string[], value: unknown): void {
    const [first] = segments;
    if (first === undefined) return;
    if (segments.length === 1) noteState(first, value);
    noteName(segments);
  }

  // Undefined for anything but JSON in UTF-8.
  const body = attempt<unknown>(() => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  if (isObject(body)) noteBody(body);
  else if (patch && Array.isArray(body))
    for (const operation of body) if (isObject(operation)) noteOperation(operation);
  const isRecorded = !isAmbiguous && (state === 'active' || state === 'inactive');
  return { changed: [...names], state: isRecorded ? (state as 'active' | 'inactive') : undefined };
}

/** The audit record of a write through an admin prefix, without the query or the body. */
export interface ProxiedWrite {
  action: 'proxy_write';
  /** The operator's identity id, or `anonymous`. */
  actor: string;
  /** Prefix and path. */
  target: string;
  details: {
    method: string;
    /** Null if no response began. */
    status: number | null;
    /** The client's address according to the trusted proxies. */
    peer: string | null;
    /** The path of a created resource, or of the identity or client that the body or the query names. */
    location?: string;
    client?: string;
    /** The members in a JSON body, without their values. */
    changed?: readonly string[];
    state?: 'active' | 'inactive';
    /** As the operator gave it. */
    reason?: string;
  };
}

/** What the body or the query of a write names. */
export type NamedTarget = Pick<ProxiedWrite['details'], 'location' | 'client'>;

const JSON_TYPES = ['application/json', 'application/json-patch+json'];
/** Paths of consents, logins, introspection, tokens, recovery and keys, whose bodies are not read. */
const UNREAD_PATH = /^\/+(?:admin\/+)?(?:oauth2|recovery|keys)(?:[/;]|$)/i;
/** The path of batches, which write many identities in one request. */
const BATCH = /^\/+(?:admin\/+)?identities\/*$/i;

/** Without the query, and not longer than records allow. */
const auditedPath = (url: string): string => url.split('?', 1)[0]?.slice(0, 1024) ?? '';

export interface RecorderDeps {
  /** The identity id of the verified session, if there is one. */
  operator(res: Response): string | undefined;
  /** The client's address according to the trusted proxies. */
  clientAddress(req: Request): string | undefined;
  /** Copies a body, so that the names of its members can be recorded. */
  copyBody: ReturnType<typeof bodyCopies>;
  /** The admin API of the deployment's own identities. */
  ownStore: UpstreamName;
  /** Queues the record of a write. Resolves once it is stored, or cannot be stored soon; never rejects. */
  recordWrite(event: ProxiedWrite): Promise<void>;
}

/** Records a forwarded write once: when its response begins, or when the connection closes before. */
export function writeRecorder(req: Request, res: Response, named: NamedTarget | undefined, deps: RecorderDeps) {
  const { method, originalUrl } = req;
  const peer = deps.clientAddress(req) ?? null;
  const reason = reasonOf(req);
  const copy = isJson(req) && isRead(req) ? deps.copyBody(req) : undefined;
  let recorded: Promise<void> | undefined;

  function members(): Pick<ProxiedWrite['details'], 'changed' | 'state'> {
    const body = copy?.take();
    if (body === undefined) return {};
    // Kratos and Hydra accept a patch with either media type.
    const { changed, state } = changedMembers(body, method === 'PATCH');
    return { ...(changed.length > 0 && { changed }), ...(state !== undefined && { state }) };
  }

  /** Records the write once. @param location of a created resource, already mapped to our prefix */
  function record(status: number | null, location?: string): Promise<void> {
    const operator = deps.operator(res);
    recorded ??= deps.recordWrite({
      action: 'proxy_write',
      actor: operator ?? 'anonymous',
      target: auditedPath(originalUrl),
      details: {
        method,
        status,
        peer,
        // The Location of a 201 is the created resource (RFC 9110, section 15.3.2).
        ...(status === 201 && location !== undefined && { location: auditedPath(location) }),
        ...named,
        ...members(),
        // Without a session, nobody vouches for it.
        ...(operator !== undefined && reason !== undefined && { reason }),
      },
    });
    return recorded;
  }
  res.once('close', () => void record(res.headersSent ? res.statusCode : null));
  return { onBody: () => copy?.begin(), record };
}

/** Whether a body is JSON without a content coding. */
function isJson({ headers }: Request): boolean {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return JSON_TYPES.includes(type) && headers['content-encoding'] === undefined;
}

/** Whether the members of a body are recorded: not those of batches, which concern many identities. */
function isRead(req: Request): boolean {
  const path = pathOf(req.url);
  return path !== undefined && !UNREAD_PATH.test(path) && !isBatch(req);
}

export const isBatch = ({ method, url }: Request): boolean => method === 'PATCH' && BATCH.test(pathOf(url) ?? '');

const pathOf = (url: string): string | undefined => attempt(() => decodeURIComponent(url.split('?', 1)[0] ?? ''));
