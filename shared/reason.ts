import { attempt } from './json.ts';

/** The operator's reason for an act, percent-encoded; stored in the audit record (docs/api.md#reasons). */
export const REASON_HEADER = 'Dashboard-Reason';
/** Characters are Unicode code points. */
export const REASON_MAX_CHARACTERS = 200;

/** The value of the header, cut to what it may contain; undefined for a text without content. */
export function encodeReason(text: string): string | undefined {
  const line = text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return encodeURIComponent([...line].slice(0, REASON_MAX_CHARACTERS).join('')) || undefined;
}

/** The text of the header; undefined if it is absent, repeated, too long or not percent-encoded UTF-8. */
export function decodeReason(header: string | string[] | undefined): string | undefined {
  // Node joins repeated headers by a comma, which `encodeReason` escapes.
  if (typeof header !== 'string' || !/^[!-+\--~]+$/.test(header)) return undefined;
  const text = attempt(() => decodeURIComponent(header).trim());
  if (!text || /\p{Cc}/u.test(text) || [...text].length > REASON_MAX_CHARACTERS) return undefined;
  return text;
}
