import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { isObject, isUuid, type JsonObject } from '../../../shared/json.ts';
import { ADDRESS_PATTERN, HOST_PATTERNS } from '../../../shared/text.ts';
import { type UpstreamName, upstreamPrefix } from '../../../shared/upstreams.ts';
import type { BodyCopy } from './body.ts';

/** The deepest member that is named, counted in segments; deeper ones count as it. */
export const DEEPEST = 8;
const TOLD = /^[A-Za-z0-9_-]{1,64}$/;
/** What stands below these is anybody's invention, or part of a secret. */
const GUARDED: ReadonlySet<string> = new Set(['metadata', 'metadata_public', 'metadata_admin', 'credentials', 'jwks']);

/** Go reads the members of JSON without regard to case, by Unicode's simple folding. */
export const folded = (segment: string): string => segment.toUpperCase().toLowerCase();

/**
 * The JSON pointer of a member as it may be recorded: a segment that could be a value, such as an address, is `*`, and of
 * all below a guarded member only the first segment is told.
 */
export function recordedPointer(segments: readonly string[]): string {
  const guard = segments.findIndex((segment) => GUARDED.has(folded(segment)));
  const told = segments.slice(0, Math.min(DEEPEST, guard === -1 ? DEEPEST : guard + 2));
  return told.map((segment) => `/${TOLD.test(segment) ? segment : '*'}`).join('');
}

/** The segments of a JSON pointer. Like the servers' own reader, it ignores what stands before the first slash. */
export const segmentsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));

const BLANK = '…';

/**
 * What upstream messages must not reveal (docs/api.md#errors), in the order of redaction: whole addresses before their
 * parts. When in doubt, it redacts.
 */
const PATTERNS: readonly RegExp[] = [
  // URLs with a scheme; credentials of an Authorization header.
  ADDRESS_PATTERN,
  /\b(?:bearer|basic)\s+[\w.~+/=-]+/gi,
  // Email addresses, and anything else joined by an @.
  /(?<![^\s"'<>()[\],;:`=])[^\s"'<>()[\],;:`=]+@[^\s"'<>()[\],;:`=]+/g,
  // UUIDs, with and without hyphens.
  /\b[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\b/gi,
  // Tokens: Ory's, and (below) long runs with a digit or a change of case, which words do not have.
  /\bory_[a-z]+_[\w.~-]+/g,
  ...HOST_PATTERNS,
  /(?<![\w~+=-])(?=[\w~+=-]*\d)[\w~+=-]{16,}/g,
  /\b(?=\w*[a-z][A-Z])\w{24,}\b/g,
  // Telephone numbers and other long numbers.
  /\+?\d{7,}/g,
];

/** JSON quoted from a request, including its values. */
const QUOTED_JSON = /^([^{]*)\{.*\}/;
/** A value refused by the identity schema: `"alice" is not valid "username"`. */
const REFUSED_VALUE = /(?:(?<!\\)"(?:[^"\\]|\\.)*|(?<=\\)"[^"\\]*)"(?= is not valid)/g;

/** A reason may repeat long input of the client; the schema violations of a few fields are shorter. */
const MAX_CHARACTERS = 512;

/**
 * Returns a function that redacts email addresses, identifiers, hosts, ports and tokens in the beginning of an
 * upstream's message, in linear time.
 * @param hosts names of the configured upstreams, which may look like ordinary words
 */
export function redactor(hosts: readonly string[]): (text: string) => string {
  const named = [...new Set(hosts)].filter((host) => /^[\w.-]+$/.test(host));
  const escaped = named.map((host) => host.replaceAll('.', '\\.'));
  const patterns = escaped.length === 0 ? PATTERNS : [...PATTERNS, new RegExp(`\\b(?:${escaped.join('|')})\\b`, 'gi')];
  return (text) => {
    const line = beginningOf(text).replace(REFUSED_VALUE, BLANK).replace(QUOTED_JSON, `$1${BLANK}`);
    return patterns.reduce((rest, pattern) => rest.replace(pattern, BLANK), line).trim();
  };
}

/**
 * In one line. Whatever the cut may have split is removed, since the patterns would not recognise half of it: the last
 * run of characters, a quotation, JSON.
 */
function beginningOf(text: string): string {
  const line = text
    .slice(0, MAX_CHARACTERS)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trimStart();
  if (text.length <= MAX_CHARACTERS) return line;
  const whole = line.slice(0, line.lastIndexOf(' ') + 1);
  const closed = whole.split('"').length % 2 === 1 ? whole : whole.slice(0, whole.lastIndexOf('"'));
  return closed.indexOf('{') > closed.lastIndexOf('}') ? closed.slice(0, closed.indexOf('{')) : closed;
}

/** What a write sets or removes, without its values. */
export interface ChangedMembers {
  /** JSON pointers, in the order of the body. */
  changed: readonly string[];
  /** The one value that is told. Undefined unless exactly one member can be meant by it. */
  state: 'active' | 'inactive' | undefined;
}

const MOST = 20;
/** Of all names together: what waits for the database must not grow without bounds. */
const MOST_CHARACTERS = 2048;

/**
 * The names of the members in the body of a write.
 * @param patch whether a list is a JSON Patch (RFC 6902)
 * @returns no names for anything that is neither an object nor a patch
 */
export function changedMembers(bytes: Uint8Array, patch: boolean): ChangedMembers {
  const noted = notes();
  const body = parsed(bytes);
  if (isObject(body)) noteBody(body, noted);
  else if (patch && Array.isArray(body))
    for (const operation of body) if (isObject(operation)) noteOperation(operation, noted);
  return noted.result();
}

/** Undefined for what is no JSON in UTF-8. */
function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

interface Notes {
  isFull(): boolean;
  name(segments: readonly string[]): void;
  state(member: string, value: unknown): void;
  result(): ChangedMembers;
}

function notes(): Notes {
  const names = new Set<string>();
  let characters = 0;
  let full = false;
  let state: unknown;
  let isAmbiguous = false;
  return {
    isFull: () => full,
    name(segments) {
      const name = recordedPointer(segments);
      if (full || names.has(name)) return;
      full = names.size === MOST || characters + name.length > MOST_CHARACTERS;
      if (full) return;
      names.add(name);
      characters += name.length;
    },
    state(member, value) {
      if (folded(member) !== 'state') return;
      state = value;
      // Which of `state` and `State` counts is for the server to say.
      if (member !== 'state') isAmbiguous = true;
    },
    result: () => ({
      changed: [...names],
      state: !isAmbiguous && (state === 'active' || state === 'inactive') ? state : undefined,
    }),
  };
}

function noteBody(body: JsonObject, noted: Notes): void {
  for (const [member, value] of Object.entries(body)) noted.state(member, value);
  noteMembers(body, [], noted);
}

/** Lists are named as a whole. */
function noteMembers(members: JsonObject, above: readonly string[], noted: Notes): void {
  for (const [name, value] of Object.entries(members)) {
    if (noted.isFull()) return;
    const segments = [...above, name];
    if (segments.length < DEEPEST && isObject(value) && Object.keys(value).length > 0)
      noteMembers(value, segments, noted);
    else noted.name(segments);
  }
}

function noteOperation({ op, path, from, value }: JsonObject, noted: Notes): void {
  const isMoved = op === 'move' || op === 'copy';
  if (typeof path !== 'string' || !(isMoved || op === 'add' || op === 'replace' || op === 'remove')) return;
  if (op === 'move' && typeof from === 'string') noteMember(segmentsOf(from), undefined, noted);
  // The pointer to the whole document.
  if (path === '' && isObject(value)) noteBody(value, noted);
  else noteMember(segmentsOf(path), isMoved || op === 'remove' ? undefined : value, noted);
}

function noteMember(segments: readonly string[], value: unknown, noted: Notes): void {
  if (segments.length === 0) return;
  if (segments.length === 1) noted.state(segments[0] ?? '', value);
  noted.name(segments);
}

/** The audit record of a write through an admin prefix, without query and body. */
export interface ProxiedWrite {
  action: 'proxy_write';
  /** The operator's identity id, or `anonymous`. */
  actor: string;
  /** Prefix and path. */
  target: string;
  /**
   * `status` is null if no response began; `peer` is the client as far as trusted proxies vouch for it; `location` is
   * the path of what a 201 created, or of the person whose consents or sign-ins were ended, and `client` at which;
   * `changed` are the members that a JSON body names, without their values.
   */
  details: {
    method: string;
    status: number | null;
    peer: string | null;
    location?: string;
    client?: string;
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

/** Whose consents or sign-ins a request ends, and at which client: its query says so, never its path. */
const GRANTS = /^\/+(?:admin\/+)?oauth2\/+auth\/+sessions\/+(?:consent|login)\/*$/i;
const CLIENT_CHARACTERS = 200;

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
    ownStore: UpstreamName;
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
      details: {
        method,
        status,
        peer,
        ...created,
        ...(method === 'DELETE' && grantee(req.url, deps.ownStore)),
        ...members(),
      },
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

/** A subject that is no identity's id may be anything, such as an address, and is not told. */
function grantee(url: string, store: UpstreamName): Pick<ProxiedWrite['details'], 'location' | 'client'> {
  const [path = '', query] = url.split('?', 2);
  if (query === undefined || !GRANTS.test(decoded(path) ?? '')) return {};
  const named = new URLSearchParams(query);
  // A consent is revoked by its own id alone: then the caller may say whose it is, which the server ignores.
  const person = named.get('subject') ?? named.get('identity') ?? '';
  const client = named.get('client') ?? '';
  if (!isUuid(person)) return {};
  const location = `${upstreamPrefix(store)}/admin/identities/${person.toLowerCase()}`;
  return { location, ...(client !== '' && { client: client.slice(0, CLIENT_CHARACTERS) }) };
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
