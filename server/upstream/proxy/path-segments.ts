/** The deepest member that is named, counted in segments; deeper ones count as it. */
export const DEEPEST = 8;
const TOLD = /^[A-Za-z0-9_-]{1,64}$/;
/** What stands below these is anybody's invention, or part of a secret. */
const GUARDED: ReadonlySet<string> = new Set(['metadata', 'metadata_public', 'metadata_admin', 'credentials', 'jwks']);

/** Go reads the members of JSON without regard to case, by Unicode's simple folding. */
export const folded = (segment: string): string => segment.toUpperCase().toLowerCase();

/**
 * The JSON pointer of a member as it may be recorded: a segment that could be a value, such as an address, is `*`, and of
 * all below a guarded member only the first segment is told.
 */
export function recordedPointer(segments: readonly string[]): string {
  const guard = segments.findIndex((segment) => GUARDED.has(folded(segment)));
  const told = segments.slice(0, Math.min(DEEPEST, guard === -1 ? DEEPEST : guard + 2));
  return told.map((segment) => `/${TOLD.test(segment) ? segment : '*'}`).join('');
}

/** The segments of a JSON pointer. Like the servers' own reader, it ignores what stands before the first slash. */
export const segmentsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
