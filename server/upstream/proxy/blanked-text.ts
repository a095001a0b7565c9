import { ADDRESS_PATTERN, HOST_PATTERNS } from '../../../shared/host-patterns.ts';

const BLANK = '…';

/**
 * What a message of an upstream must not show (docs/api.md#errors), in the order in which it is blanked: whole
 * addresses before their parts. It errs on the side of blanking.
 */
const PATTERNS: readonly RegExp[] = [
  // JSON quoted from a request, with the values sent.
  /\{.*\}/g,
  // Addresses with a scheme; credentials of an Authorization header.
  ADDRESS_PATTERN,
  /\b(?:bearer|basic)\s+[\w.~+/=-]+/gi,
  // E-mail addresses, and whatever else is joined by an @.
  /[^\s"'<>()[\],;:`=]+@[^\s"'<>()[\],;:`=]+/g,
  // UUIDs, with and without hyphens.
  /\b[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\b/gi,
  ...HOST_PATTERNS,
  // Tokens: what Ory issues, and long runs that hold a digit or a change of case, as words do not.
  /\bory_[a-z]+_[\w.~-]+/g,
  /(?<![\w~+=-])(?=[\w~+=-]*\d)[\w~+=-]{16,}/g,
  /\b(?=\w*[a-z][A-Z])\w{24,}\b/g,
  // Telephone numbers and other long numbers.
  /\+?\d{7,}/g,
];

/** A value that the identity schema refused: `"alice" is not valid "username"`. */
const REFUSED_VALUE = /"(?:[^"\\]|\\.)*"(?= is not valid)/g;

/** Room for the marks that a schema's validation puts on twenty fields and more. */
const MAX_CHARACTERS = 4096;

/**
 * A function that blanks e-mail addresses, identifiers, hosts, ports and tokens in an upstream's message.
 * @param hosts names of the configured upstreams, which may look like any word
 */
export function blankOut(hosts: readonly string[]): (text: string) => string {
  const named = [...new Set(hosts)].filter((host) => /^[\w.-]+$/.test(host));
  const escaped = named.map((host) => host.replaceAll('.', '\\.'));
  const patterns = escaped.length === 0 ? PATTERNS : [...PATTERNS, new RegExp(`\\b(?:${escaped.join('|')})\\b`, 'gi')];
  return (text) => {
    const line = text
      .slice(0, 2 * MAX_CHARACTERS)
      .replace(/[\p{Cc}\s]+/gu, ' ')
      .trim();
    const blanked = patterns.reduce(
      (rest, pattern) => rest.replace(pattern, BLANK),
      line.replace(REFUSED_VALUE, BLANK),
    );
    return blanked.slice(0, MAX_CHARACTERS);
  };
}
