/** A path's segments as the most lenient server reads them, in lower case; undefined if unclear or with `..` hidden. */
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

/** Decodes until nothing changes, since the next server may decode again; undefined if that takes too many rounds. */
function fullyDecoded(path: string, rounds = 5): string | undefined {
  const decoded = path.replace(/%([0-9a-f]{2})/gi, (_match, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  if (decoded === path) return path;
  return rounds === 0 ? undefined : fullyDecoded(decoded, rounds - 1);
}

/** Only its hexadecimal digits: stores also accept a UUID in braces, as a URN, and without hyphens. */
export const uuidDigits = (uuid: string): string =>
  uuid
    .toLowerCase()
    .replace(/^\{?urn:uuid:/, '')
    .replaceAll(/[^0-9a-f]/g, '');

/**
 * The identity that a path of Kratos' admin API belongs to, and the segments below it.
 * @returns undefined for another path, `unclear` for one that may belong to any identity
 */
export function identityIn(target: string): { digits: string; below: string[] } | 'unclear' | undefined {
  const segments = segmentsRead(target);
  if (segments === undefined) return 'unclear';
  const [kind, id, ...below] = segments[0] === 'admin' ? segments.slice(1) : segments;
  return kind === 'identities' && id !== undefined ? { digits: uuidDigits(id), below } : undefined;
}
