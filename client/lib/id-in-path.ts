import { base64url } from './base64url.ts';

/** As a segment of our own address an id stands for itself where it is no free text. */
const PLAIN = /^[A-Za-z0-9_-][\w.-]*$/;
/** Addresses of other pages. */
const TAKEN = new Set(['new']);
const ENCODED = '~';

/**
 * An id that somebody was free to choose, in the path of its page. It may hold blanks, or be an address itself: escaped
 * slashes would make the path ambiguous, and a link from elsewhere would not open. Such an id stands there as `~` and
 * its UTF-8 in base64url (RFC 4648, 5).
 */
export const idInPath = (id: string): string =>
  PLAIN.test(id) && !TAKEN.has(id) ? id : ENCODED + base64url(new TextEncoder().encode(id));

/** The id that the segment stands for; empty where it stands for none. */
export function idOfPath(segment: string): string {
  if (!segment.startsWith(ENCODED)) return segment;
  try {
    const binary = atob(segment.slice(1).replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(binary, (byte) => byte.charCodeAt(0)));
  } catch {
    return '';
  }
}
