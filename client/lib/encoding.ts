import { attempt } from '../../shared/json.ts';

/** base64url without padding (RFC 4648, 5). */
export const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Quotes an argument for a POSIX shell unless it is safe without quotes. */
export const shellQuoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** A command with each group of arguments on its own line. */
export const shellCommand = (...lines: readonly (readonly string[])[]): string =>
  lines.map((line) => line.map(shellQuoted).join(' ')).join(' \\\n  ');

/** Ids that are safe as a path segment without encoding. */
const PLAIN = /^[A-Za-z0-9_-][\w.-]*$/;
/** Path segments of other pages. */
const RESERVED = new Set(['new']);
const ENCODED = '~';

/**
 * A user-chosen id as a path segment. An id may contain spaces or be a URL, and escaped slashes would make the path
 * ambiguous and break links from elsewhere. Such an id becomes `~` and the base64url of its UTF-8 bytes (RFC 4648, 5).
 */
export const idInPath = (id: string): string =>
  PLAIN.test(id) && !RESERVED.has(id) ? id : ENCODED + base64url(new TextEncoder().encode(id));

/** The id in a segment; empty if the segment is invalid. */
export function idOfPath(segment: string): string {
  if (!segment.startsWith(ENCODED)) return segment;
  const decoded = attempt(() => {
    const binary = atob(segment.slice(1).replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(binary, (byte) => byte.charCodeAt(0)));
  });
  return decoded ?? '';
}
