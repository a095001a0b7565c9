import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { Manifest } from 'vite';
import { notices, printedNotices } from '../../server/launcher/notices.ts';
import { readText, root } from '../support/repository-files.ts';

const client = join(root, 'dist/client');
const KB = 1_000;
const ENTRY = 'index.html';
/** Usually the first page, so its total size is limited. For other pages, only what they add to the entry is. */
const IDENTITIES_PAGE = 'features/identities/identities-page.tsx';

describe('the built app', () => {
  let manifest: Manifest;
  let pages: string[];
  let assets: string[];
  const asset = (name: string): Buffer => readFileSync(join(client, name));

  before(() => {
    manifest = JSON.parse(readText('dist/client/.vite/manifest.json')) as Manifest;
    pages = Object.keys(manifest).filter((chunk) => /^features\/.*-page\.tsx$/.test(chunk));
    assets = readdirSync(join(client, 'assets')).map((name) => `assets/${name}`);
  });

  /** The files that a chunk loads: its own, its style sheets, and those of its imports. */
  function filesOf(chunk: string, files = new Set<string>(), visited = new Set<string>()): Set<string> {
    const { file, css = [], imports = [] } = manifest[chunk] ?? assert.fail(`no chunk ${chunk}`);
    if (visited.has(chunk)) return files;
    visited.add(chunk);
    for (const name of [file, ...css]) files.add(name);
    for (const name of imports) filesOf(name, files, visited);
    return files;
  }
  const gzippedSize = (files: Iterable<string>, extension: string): number =>
    [...files]
      .filter((file) => file.endsWith(extension))
      .reduce((sum, file) => sum + gzipSync(asset(file), { level: 9 }).length, 0);

  it('loads at most 165 KB of script before its first page', () => {
    const size = gzippedSize(filesOf(ENTRY), '.js');
    assert.ok(size <= 165 * KB, `${size} bytes`);
  });

  it('loads at most 25 KB of style sheets for any first page', () => {
    for (const page of pages) {
      const size = gzippedSize(new Set([...filesOf(ENTRY), ...filesOf(page)]), '.css');
      assert.ok(size <= 25 * KB, `${page}: ${size} bytes`);
    }
  });

  it('adds at most 70 KB of script for any page except the list of identities, which loads at most 190 KB in total', () => {
    const entry = filesOf(ENTRY);
    assert.ok(pages.length > 3);
    for (const page of pages) {
      const files = [...filesOf(page)].filter((file) => !entry.has(file));
      const added = gzippedSize(files, '.js');
      if (page === IDENTITIES_PAGE)
        assert.ok(added + gzippedSize(entry, '.js') <= 190 * KB, `${page}: +${added} bytes`);
      else assert.ok(added <= 70 * KB, `${page}: +${added} bytes`);
    }
  });

  it('has a content hash in the name of each script and style sheet, and compresses them with Brotli and gzip', () => {
    for (const name of assets.filter((file) => /\.(?:js|css)$/.test(file))) {
      assert.match(name, /-[\w-]{8}\.(?:js|css)$/);
      const bytes = asset(name);
      if (bytes.length < 512) continue;
      assert.deepEqual(brotliDecompressSync(asset(`${name}.br`)), bytes);
      assert.deepEqual(gunzipSync(asset(`${name}.gz`)), bytes);
    }
  });

  it('has no source maps, and no inline script, inline style or address of another origin in its page', () => {
    const page = readText('dist/client/index.html');
    assert.doesNotMatch(page, /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
    assert.doesNotMatch(page, /(?:src|href)="(?!\/)/);
    assert.match(page, /nonce="__CSP_NONCE__"/);
    assert.ok(!assets.some((name) => name.endsWith('.map')));
  });
});

describe('the built service', () => {
  const { version, devDependencies } = JSON.parse(readText('package.json')) as {
    version: string;
    devDependencies: Record<string, string>;
  };
  const nameOf = (path: string): string | undefined => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
  let sources: string[];
  let bundledPackages: Set<string>;

  before(() => {
    const maps = readdirSync(join(root, 'dist/server')).filter((name) => name.endsWith('.js.map'));
    sources = maps.flatMap((name) => (JSON.parse(readText(`dist/server/${name}`)) as { sources: string[] }).sources);
    bundledPackages = new Set(sources.flatMap((source) => nameOf(source) ?? []));
    assert.ok(bundledPackages.size > 50);
  });

  it('contains neither the sandbox nor the launcher', () => {
    assert.ok(sources.some((source) => source.endsWith('server/app.ts')));
    const forDevelopment = sources.filter((source) => /server\/(?:sandbox|launcher)\//.test(source));
    assert.deepEqual(forDevelopment, []);
  });

  it('contains no development dependency', () => {
    assert.ok(bundledPackages.has('express'));
    const forDevelopment = [...bundledPackages].filter((name) => name in devDependencies);
    assert.deepEqual(forDevelopment, []);
  });

  it('has notices with the licences of all bundled packages, and with credits for its data', () => {
    const all = notices();
    const named = new Set(all.map(({ name }) => name));
    const withoutNotice = [...bundledPackages].filter((name) => !named.has(name));
    assert.deepEqual(withoutNotice, []);
    assert.ok(all.every(({ license, text }) => license !== '' && text !== ''));
    const withLongText = all.filter(({ text }) => text.length > 200);
    assert.ok(withLongText.length > all.length * 0.95, `${withLongText.length} of ${all.length}`);
    const printed = printedNotices(all);
    for (const credit of ['IP Geolocation by DB-IP (https://db-ip.com)', 'Natural Earth', 'react '])
      assert.ok(printed.includes(credit), credit);
    assert.ok(!printed.includes(root));
    assert.equal(readText('dist/THIRD-PARTY-NOTICES.txt'), printed);
  });

  it('comes with a settings reader of the same version', () => {
    assert.equal(JSON.parse(readText('dist/settings-reader/package.json')).version, version);
  });
});
