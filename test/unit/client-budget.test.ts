import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { Manifest } from 'vite';

const built = fileURLToPath(new URL('../../dist/client/', import.meta.url));
const app = fileURLToPath(new URL('../../client/app/', import.meta.url));
const KB = 1_000;
const ENTRY = 'index.html';
/** What the identities list may weigh in all; every other page its own addition to the entry. */
const IDENTITIES_LIST = 'features/identities/list/identities-page.tsx';
/** `Intl.DateTimeFormat().resolvedOptions()`, which asks for the time zone, is no formatter at work. */
const FORMATTERS = /\bIntl\.(?:Number|RelativeTime|List)Format|new Intl\.DateTimeFormat/;

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

  /** Of each resource the module of its list, by its address. */
  async function resourceLists(): Promise<Map<string, string>> {
    const features = fileURLToPath(new URL('../../client/features/', import.meta.url));
    const definitions = (await readdir(features, { recursive: true })).filter((name) => name.endsWith('-resource.ts'));
    const lists = definitions.map(async (name): Promise<[string, string]> => {
      const [, address = assert.fail(name)] = /^ {2}to: '([^']+)'/m.exec(await readFile(features + name, 'utf8')) ?? [];
      const pages = await readFile(features + name.replace('-resource.ts', '-pages.ts'), 'utf8');
      const [, list = assert.fail(name)] = /list: lazyPage\(\(\) => import\('\.\/([^']+)'\)/.exec(pages) ?? [];
      return [address, `features/${dirname(name)}/${list}`];
    });
    return new Map(await Promise.all(lists));
  }

  it('loads at most 133 KB of script before its first page', () => {
    const size = gzipped(filesOf(ENTRY), '.js');
    assert.ok(size <= 133 * KB, `${size} bytes`);
  });

  it('loads at most 14 KB of style sheets for any first page', () => {
    for (const page of pages()) {
      const size = gzipped(new Set([...filesOf(ENTRY), ...filesOf(page)]), '.css');
      assert.ok(size <= 14 * KB, `${page}: ${size} bytes`);
    }
  });

  it('adds at most 48 KB of script with any page, the list of identities 150 KB in all', () => {
    const entry = filesOf(ENTRY);
    assert.ok(pages().length > 3);
    for (const page of pages()) {
      const all = filesOf(page);
      const added = gzipped(
        [...all].filter((file) => !entry.has(file)),
        '.js',
      );
      if (page === IDENTITIES_LIST) assert.ok(added + gzipped(entry, '.js') <= 150 * KB, `${page}: +${added} bytes`);
      else assert.ok(added <= 48 * KB, `${page}: +${added} bytes`);
    }
  });

  it('names in the page of each address of the navigation the files that its routes bring along, and no others', async () => {
    const first: Record<string, string[]> = JSON.parse(await readFile(`${built}first-files.json`, 'utf8'));
    const source = async (name: string): Promise<string> => readFile(`${app}${name}`, 'utf8');
    const resources = await resourceLists();
    const addresses = [
      ...[...(await source('navigation.ts')).matchAll(/^ {4}to: '([^']+)'/gm)].map(([, path]) => path),
      ...resources.keys(),
    ];
    assert.ok(addresses.length > 10);
    assert.deepEqual(Object.keys(first).sort(), addresses.sort());
    const routes = (await Promise.all((await readdir(`${app}routes`)).map((name) => source(`routes/${name}`)))).join(
      '',
    );
    const entry = filesOf(ENTRY);
    for (const [path, files] of Object.entries(first)) {
      // From its address to the next one; the tab that stands at the address itself is a part of the page.
      const [, route = ''] = routes.split(`\n  path: '${path}',`);
      const [own = '', tab = ''] = route.split(/\n +path: '/);
      const modules = [own, tab.startsWith(`/',`) ? tab : '']
        .flatMap((part) => [...part.matchAll(/import\('\.\.\/\.\.\/([^']+)'\)/g)])
        .map(([, module = '']) => module);
      const list = resources.get(path);
      if (list !== undefined) modules.push(list);
      const brought = new Set(modules.flatMap((module) => [...filesOf(module)]));
      assert.ok(modules.length > 0, path);
      assert.deepEqual(
        new Set(files),
        new Set([...brought].filter((file) => !entry.has(file)).map((file) => `/${file}`)),
        path,
      );
    }
  });

  it('fetches at most 7 scripts for the list of identities', () => {
    const scripts = [...new Set([...filesOf(ENTRY), ...filesOf(IDENTITIES_LIST)])].filter((file) =>
      file.endsWith('.js'),
    );
    assert.ok(scripts.length <= 7, scripts.join(' '));
  });

  it('has each script compiled while it arrives, which its first line asks for', async () => {
    for (const name of sizes.keys()) {
      if (!name.endsWith('.js')) continue;
      const [first] = (await readFile(built + name, 'utf8')).split('\n', 1);
      assert.equal(first, '//# allFunctionsCalledOnLoad', name);
    }
  });

  it('words nothing by Intl before the first row: its first formatter takes a slow machine a fifth of a second', async () => {
    for (const file of new Set([...filesOf(ENTRY), ...filesOf(IDENTITIES_LIST)])) {
      if (file.endsWith('.js')) assert.doesNotMatch(await readFile(built + file, 'utf8'), FORMATTERS, file);
    }
  });

  it('keeps charts and the map out of the overview’s first paint, at most 130 KB of script for either', () => {
    const first = filesOf('features/overview/overview-page.tsx');
    for (const chunk of ['drawn-widgets', 'session-map-widget']) {
      const later = [...filesOf(`features/overview/widgets/${chunk}.tsx`)].filter((file) => !first.has(file));
      const size = gzipped(later, '.js');
      assert.ok(size > 2 * KB && size <= 130 * KB, `${chunk}: ${size} bytes`);
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
