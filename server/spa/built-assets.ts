import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** Ordered from the best compression to the worst; the build writes these next to each file. */
export const CODINGS = [
  { coding: 'br', suffix: '.br' },
  { coding: 'gzip', suffix: '.gz' },
] as const;

export interface Asset {
  type: string;
  /** Weak, since all codings of the file share it. */
  etag: string;
  plain: Buffer;
  /** By content coding. */
  compressed: ReadonlyMap<string, Buffer>;
}

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

/**
 * The built files by request path (`/assets/index-4fe1.js`), read once: a later build does not affect this process, and
 * no request reaches the file system.
 */
export function readAssets(directory: string): ReadonlyMap<string, Asset> {
  const folder = join(directory, 'assets');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const served = names.filter((name) => !CODINGS.some(({ suffix }) => name.endsWith(suffix)));
  return new Map(served.map((name) => [`/assets/${name}`, readAsset(join(folder, name))]));
}

function readAsset(path: string): Asset {
  const plain = readFileSync(path);
  const present = CODINGS.filter(({ suffix }) => existsSync(path + suffix));
  return {
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    etag: `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    plain,
    compressed: new Map(present.map(({ coding, suffix }) => [coding, readFileSync(path + suffix)])),
  };
}
