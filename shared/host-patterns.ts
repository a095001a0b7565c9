// A run is matched only from its start: matching from each character would be quadratic.

/** A URL with a scheme, matched whole, since it may contain credentials. */
export const ADDRESS_PATTERN = /(?<![a-z0-9+.-])[a-z0-9+.-]*:\/\/[^\s"'<>`)\]}]+/gi;

/**
 * What names a host in foreign text, in the order of redaction. When in doubt, it matches. Each takes linear time,
 * whatever the text.
 */
export const HOST_PATTERNS: readonly RegExp[] = [
  // IP addresses with or without a port: version 4, then 6.
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g,
  /\[?(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])(?:%\w+)?(?:\](?::\d+)?)?/gi,
  // Hosts: `name:4434`, the name after `lookup`, and dotted names.
  /(?<![\w.-])(?:[\w.-]*[a-z0-9]:\d{2,5}\b)+/gi,
  /(?<=\blookup )\S+/gi,
  /(?<![\w.-])[\w.-]*[a-z0-9]\.[a-z][a-z0-9-]+\b(?:[\w.-]*\w)?/gi,
];
