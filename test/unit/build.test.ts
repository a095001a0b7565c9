import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { Manifest } from 'vite';
import { PRELOADED } from '../../server/spa.ts';

const built = fileURLToPath(new URL('../../dist/client/', import.meta.url));
const KB = 1_000;
const ENTRY = 'index.html';
/** What the identities list may weigh in all; every other page its own addition to the entry. */
const IDENTITIES_LIST = 'features/identities/identities-page.tsx';

describe('the built app', () => {
  let manifest: Manifest;
  const sizes = new Map<string, number>();

  before(async () => {
    assert.ok(existsSync(`${built}.vite/manifest.json`), 'dist/client is missing: npm run build');
    manifest = JSON.parse(await readFile(`${built}.vite/manifest.json`, 'utf8')) as Manifest;
    for (const name of await readdir(`${built}assets`)) {
      if (/\.(?:js|css)$/.test(name)) {
        sizes.set(`assets/${name}`, gzipSync(await readFile(`${built}assets/${name}`), { level: 9 }).length);
      }
    }
  });

  /** Files that a chunk brings along: its own, its imports', their style sheets. */
  function filesOf(chunk: string, found = new Set<string>(), seen = new Set<string>()): Set<string> {
    const { file, css = [], imports = [] } = manifest[chunk] ?? assert.fail(`no chunk ${chunk}`);
    if (seen.has(chunk)) return found;
    seen.add(chunk);
    for (const name of [file, ...css]) found.add(name);
    for (const name of imports) filesOf(name, found, seen);
    return found;
  }
  const gzipped = (files: Iterable<string>, extension: string): number =>
    [...files].filter((file) => file.endsWith(extension)).reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0);
  const pages = (): string[] => Object.keys(manifest).filter((chunk) => /^features\/.*-page\.tsx$/.test(chunk));

  it('loads at most 165 KB of script before its first page', () => {
    const size = gzipped(filesOf(ENTRY), '.js');
    assert.ok(size <= 165 * KB, `${size} bytes`);
  });

  it('has every page that the service preloads', () => {
    for (const source of Object.values(PRELOADED)) assert.ok(pages().includes(source), source);
  });

  it('loads at most 25 KB of style sheets for any first page', () => {
    for (const page of pages()) {
      const size = gzipped(new Set([...filesOf(ENTRY), ...filesOf(page)]), '.css');
      assert.ok(size <= 25 * KB, `${page}: ${size} bytes`);
    }
  });

  it('adds at most 70 KB of script with any page, the list of identities 190 KB in all', () => {
    const entry = filesOf(ENTRY);
    assert.ok(pages().length > 3);
    for (const page of pages()) {
      const all = filesOf(page);
      const added = gzipped(
        [...all].filter((file) => !entry.has(file)),
        '.js',
      );
      if (page === IDENTITIES_LIST) assert.ok(added + gzipped(entry, '.js') <= 190 * KB, `${page}: +${added} bytes`);
      else assert.ok(added <= 70 * KB, `${page}: +${added} bytes`);
    }
  });

  it('names every asset by its content and carries it compressed both ways', async () => {
    const names = await readdir(`${built}assets`);
    for (const name of names.filter((other) => /\.(?:js|css)$/.test(other))) {
      assert.match(name, /-[\w-]{8}\.(?:js|css)$/);
      const bytes = await readFile(`${built}assets/${name}`);
      if (bytes.length < 512) continue;
      assert.deepEqual(brotliDecompressSync(await readFile(`${built}assets/${name}.br`)), bytes);
      assert.deepEqual(gunzipSync(await readFile(`${built}assets/${name}.gz`)), bytes);
    }
  });

  it('has no inline script or style, no source map and no address of another origin in its page', async () => {
    const page = await readFile(`${built}index.html`, 'utf8');
    assert.doesNotMatch(page, /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
    assert.doesNotMatch(page, /(?:src|href)="(?!\/)/);
    assert.match(page, /nonce="__CSP_NONCE__"/);
    assert.ok(!(await readdir(`${built}assets`)).some((name) => name.endsWith('.map')));
  });
});
