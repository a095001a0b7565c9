// A run is looked at from its beginning alone: from each of its characters it would take the square of its length.

/** An address with a scheme: whole, for it may hold credentials. */
export const ADDRESS_PATTERN = /(?<![a-z0-9+.-])[a-z0-9+.-]*:\/\/[^\s"'<>`)\]}]+/gi;

/**
 * What names a host in a text of somebody else's, in the order in which it is blanked. Errs on the side of blanking.
 * Each takes linear time, whatever the text.
 */
export const HOST_PATTERNS: readonly RegExp[] = [
  // IP addresses with or without port: version 4, then 6.
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g,
  /\[?(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])(?:%\w+)?(?:\](?::\d+)?)?/gi,
  // Hosts: `name:4434`, the name after `lookup`, and dotted names.
  /(?<![\w.-])(?:[\w.-]*[a-z0-9]:\d{2,5}\b)+/gi,
  /(?<=\blookup )\S+/gi,
  /(?<![\w.-])[\w.-]*[a-z0-9]\.[a-z][a-z0-9-]+\b(?:[\w.-]*\w)?/gi,
];
