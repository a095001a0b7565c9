/** Keeps the dashboard's cookies from the upstreams, and keeps upstreams from setting them. */
export interface OwnCookies {
  /** A `Cookie` header without them; undefined if nothing is left. */
  strip(header: string): string | undefined;
  /** Whether a `Set-Cookie` header sets one of them. */
  isSetBy(header: string): boolean;
}

/**
 * The name under which a cookie is read later. Browsers send a nameless cookie as its bare value, so
 * `=dashboard-session=x` comes back as `dashboard-session=x`: leading equals signs are ignored.
 */
function nameOf(pair: string): string {
  const trimmed = pair.replace(/^[\s=]+/, '');
  const equals = trimmed.indexOf('=');
  return (equals < 0 ? trimmed : trimmed.slice(0, equals)).trim();
}

/** @param names of the dashboard's cookies; case-sensitive, as cookies are (RFC 6265) */
export function ownCookies(names: readonly string[]): OwnCookies {
  const own = new Set(names);
  return {
    strip(header) {
      if (!names.some((name) => header.includes(name))) return header;
      const kept = header.split(';').filter((pair) => !own.has(nameOf(pair)));
      const rest = kept.join(';').trim();
      return rest === '' ? undefined : rest;
    },
    isSetBy: (header) => own.has(nameOf(header.split(';', 1)[0] ?? '')),
  };
}
