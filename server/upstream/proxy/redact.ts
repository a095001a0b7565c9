import { ADDRESS_PATTERN, HOST_PATTERNS } from '../../../shared/host-patterns.ts';

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
