import type { Upstream } from '../../config/config.ts';

/**
 * Whether an upstream's path must not be passed on, since it leads to private keys: `/admin/keys/**`, or `/keys/**`
 * for short. Decided on what any peer further in could make of the path.
 * @param target path and query at the upstream
 */
export function isRefusedPath(upstream: Upstream, target: string): boolean {
  if (!upstream.holdsPrivateKeys || !/key|%/i.test(target)) return false;
  const path = fullyDecoded(target.split('?', 1)[0] ?? '');
  if (path === undefined) return true;
  const segments: (string | undefined)[] = [];
  for (const part of path.replaceAll('\\', '/').toLowerCase().split('/')) {
    const segment = part.split(/[;?#]/, 1)[0]?.trim();
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments[segments[0] === 'admin' ? 1 : 0] === 'keys';
}

/** Decodes until nothing changes: a double escape is one to the next decoder. Undefined when there is no end in sight. */
function fullyDecoded(path: string, rounds = 5): string | undefined {
  const decoded = path.replace(/%([0-9a-f]{2})/gi, (_match, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  if (decoded === path) return path;
  return rounds === 0 ? undefined : fullyDecoded(decoded, rounds - 1);
}
