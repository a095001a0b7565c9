import { ADDRESS_PATTERN, HOST_PATTERNS } from '../../../shared/host-patterns.ts';

const BLANK = '…';

/**
 * What a message of an upstream must not show (docs/api.md#errors), in the order in which it is blanked: whole
 * addresses before their parts. It errs on the side of blanking.
 */
const PATTERNS: readonly RegExp[] = [
  // Addresses with a scheme; credentials of an Authorization header.
  ADDRESS_PATTERN,
  /\b(?:bearer|basic)\s+[\w.~+/=-]+/gi,
  // E-mail addresses, and whatever else is joined by an @.
  /(?<![^\s"'<>()[\],;:`=])[^\s"'<>()[\],;:`=]+@[^\s"'<>()[\],;:`=]+/g,
  // UUIDs, with and without hyphens.
  /\b[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\b/gi,
  // Tokens: what Ory issues, and (below) long runs that hold a digit or a change of case, as words do not.
  /\bory_[a-z]+_[\w.~-]+/g,
  ...HOST_PATTERNS,
  /(?<![\w~+=-])(?=[\w~+=-]*\d)[\w~+=-]{16,}/g,
  /\b(?=\w*[a-z][A-Z])\w{24,}\b/g,
  // Telephone numbers and other long numbers.
  /\+?\d{7,}/g,
];

/** JSON quoted from a request, with the values sent. */
const QUOTED_JSON = /^([^{]*)\{.*\}/;
/** A value that the identity schema refused: `"alice" is not valid "username"`. */
const REFUSED_VALUE = /(?:(?<!\\)"(?:[^"\\]|\\.)*|(?<=\\)"[^"\\]*)"(?= is not valid)/g;

/** A reason repeats what a caller sent, which may be long; the marks of a schema's validation on a few fields are not. */
const MAX_CHARACTERS = 512;

/**
 * A function that blanks e-mail addresses, identifiers, hosts, ports and tokens in the beginning of an upstream's
 * message, in linear time.
 * @param hosts names of the configured upstreams, which may look like any word
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
 * On one line. What may have been cut in two goes as well, since half of it is no longer what the patterns know: the
 * last run of characters, a quotation, JSON.
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
