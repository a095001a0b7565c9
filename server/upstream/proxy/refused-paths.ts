import type { Upstream } from '../../config/config.ts';

/**
 * Whether a path leads to private keys (`/admin/keys/**` or `/keys/**`) and must not be forwarded. Considers every way
 * in which another server could read the path.
 * @param target path and query at the upstream
 */
export function isRefusedPath(upstream: Upstream, target: string): boolean {
  if (!upstream.holdsPrivateKeys || !/key|%/i.test(target)) return false;
  const segments = segmentsRead(target);
  return segments === undefined || segments[segments[0] === 'admin' ? 1 : 0] === 'keys';
}

/**
 * The segments of a path in lower case, as the most lenient server could read them. Undefined if the path is encoded
 * too many times, or hides a dot segment.
 */
export function segmentsRead(target: string): string[] | undefined {
  const path = fullyDecoded(target.split('?', 1)[0] ?? '');
  if (path === undefined) return undefined;
  const segments: string[] = [];
  for (const part of path.replaceAll('\\', '/').toLowerCase().split('/')) {
    const segment = part.split(/[;?#]/, 1)[0]?.trim() ?? '';
    // Normalisation left it encoded, and servers disagree on the segment that it removes.
    if (segment === '..') return undefined;
    if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments;
}

/**
 * Decodes until nothing changes: the next server may decode a double escape again. Undefined if that takes too many
 * rounds.
 */
function fullyDecoded(path: string, rounds = 5): string | undefined {
  const decoded = path.replace(/%([0-9a-f]{2})/gi, (_match, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  if (decoded === path) return path;
  return rounds === 0 ? undefined : fullyDecoded(decoded, rounds - 1);
}
