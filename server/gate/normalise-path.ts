import type { IncomingMessage } from 'node:http';

const isUnreserved = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x30 && code <= 0x39) ||
  code === 0x2d ||
  code === 0x2e ||
  code === 0x5f ||
  code === 0x7e;

/** Characters that an escape must not hide: control characters and `/ \ % # ? ;`. */
const isHiddenDelimiter = (code: number): boolean =>
  code < 0x20 ||
  code === 0x7f ||
  code === 0x2f ||
  code === 0x5c ||
  code === 0x25 ||
  code === 0x23 ||
  code === 0x3f ||
  code === 0x3b;

/**
 * Canonicalises a request target in linear time (RFC 3986, section 6.2.2; RFC 9112, section 3.2). Idempotent.
 * @param target as on the request line
 * @param host the value of the `Host` header
 * @returns the spelling that the gate decides on and the router routes, with the query unchanged; `ambiguous` if other
 * servers could read the path differently, so that it needs `paths.any` before anything else
 */
export function canonicalTarget(target: string, host: string | undefined) {
  let ambiguous = target.includes('#');
  let rest = target;
  if (!target.startsWith('/')) {
    const absolute = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i.exec(target);
    const authority = absolute?.[2];
    if (absolute === null || authority === undefined) ambiguous = true;
    else {
      rest = target.slice(absolute[0].length);
      const scheme = absolute[1]?.toLowerCase();
      if ((scheme !== 'http' && scheme !== 'https') || authority.toLowerCase() !== host?.toLowerCase())
        ambiguous = true;
    }
  }
  const queryAt = rest.indexOf('?');
  const path = queryAt < 0 ? rest : rest.slice(0, queryAt);
  const query = queryAt < 0 ? '' : rest.slice(queryAt);
  if (isPlain(path)) return { url: path + query, ambiguous };
  const decoded = decodeUnreserved(path);
  return { url: removeDotSegments(decoded.path) + query, ambiguous: ambiguous || decoded.ambiguous };
}

/** Recognises the common case with one regular expression: there is nothing to decode, merge or remove. */
const isPlain = (path: string): boolean => /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~@:!$&'()*+,=-]*)+$/.test(path);

function decodeUnreserved(path: string): { path: string; ambiguous: boolean } {
  let ambiguous = false;
  let highBytes = false;
  let result = '';
  // A separate variable, because slicing the end of `result` would copy all of it each time.
  let end = '';
  const write = (text: string): void => {
    result += text;
    end = (end + text).slice(-2);
  };
  for (let index = 0; index < path.length; index += 1) {
    const code = path.charCodeAt(index);
    if (code === 0x25) {
      const hex = path.slice(index + 1, index + 3);
      if (!/^[0-9a-f]{2}$/i.test(hex)) {
        ambiguous = true;
        write('%');
        continue;
      }
      const escaped = Number.parseInt(hex, 16);
      if (isHiddenDelimiter(escaped)) ambiguous = true;
      if (escaped >= 0x80) highBytes = true;
      // Decoding must not complete a broken escape before it: `%2%65` would become `%2e`, which the next reader would
      // decode to a dot.
      const isDecoded = isUnreserved(escaped) && !/%[0-9a-f]?$/i.test(end);
      write(isDecoded ? String.fromCharCode(escaped) : `%${hex}`);
      index += 2;
    } else if (code === 0x5c || code === 0x3b || code === 0x23 || code < 0x21 || code > 0x7e) {
      ambiguous = true;
      // Percent-encoded, so that no other parser sees a delimiter where this one saw none.
      write(code === 0x3b ? ';' : encodeURIComponent(path.charAt(index).toWellFormed()));
    } else write(path.charAt(index));
  }
  if (highBytes && !isDecodable(result)) ambiguous = true;
  return { path: result, ambiguous };
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Merges slashes, removes dot segments (RFC 3986, section 5.2.4) and the trailing slash. */
function removeDotSegments(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return `/${segments.join('/')}`;
}

const AMBIGUOUS = Symbol('ambiguous');
type Normalised = IncomingMessage & { originalUrl?: string; [AMBIGUOUS]?: boolean };

/**
 * Rewrites a request's target to its canonical spelling. Called before the app: Express parses the target before its
 * first middleware, and responds to invalid targets such as `http://[` itself.
 */
export function normaliseTarget(req: Normalised): void {
  const { url, ambiguous } = canonicalTarget(req.url ?? '', req.headers.host);
  req.url = url;
  req.originalUrl = url;
  req[AMBIGUOUS] = ambiguous;
}

/** @throws for a request whose target was not normalised, which must not be routed */
export function isAmbiguous(req: Normalised): boolean {
  const ambiguous = req[AMBIGUOUS];
  if (ambiguous === undefined) throw new Error('the request target was not normalised');
  return ambiguous;
}
