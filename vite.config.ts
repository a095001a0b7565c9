import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { CHUNKS } from './client/app/startup/chunks.ts';

const COMPRESSIBLE = /\.(?:js|css|svg|json|woff2?)$/;
/** Below this, compression saves no packet. */
const WORTH_COMPRESSING_BYTES = 512;

/** Writes `.br` (quality 11) and `.gz` next to each hashed asset, so that the service never compresses at run time. */
function precompress(): Plugin {
  let assets = '';
  return {
    name: 'precompress',
    apply: 'build',
    configResolved(config) {
      assets = join(config.root, config.build.outDir, config.build.assetsDir);
    },
    async writeBundle() {
      const names = (await readdir(assets)).filter((name) => COMPRESSIBLE.test(name));
      await Promise.all(names.map((name) => compressFile(join(assets, name))));
    },
  };
}

async function compressFile(path: string): Promise<void> {
  const bytes = await readFile(path);
  if (bytes.length < WORTH_COMPRESSING_BYTES) return;
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
    promisify(gzip)(bytes, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${path}.br`, brotli), writeFile(`${path}.gz`, gzipped)]);
}

/** Chromium's magic comment for this (136 and later), on the first line of a script. */
const COMPILE_AT_ONCE = '//# allFunctionsCalledOnLoad\n';

/**
 * Most functions of a chunk are called as soon as it is loaded. With this, the browser compiles all of them on another
 * thread while downloading; otherwise each is compiled at its first call.
 */
function compileAtOnce(): Plugin {
  return {
    name: 'compile-at-once',
    apply: 'build',
    generateBundle: {
      // Runs after Vite has added its list of imported files to the top of a chunk.
      order: 'post',
      handler(_, bundle) {
        for (const file of Object.values(bundle)) {
          if (file.type === 'chunk') file.code = COMPILE_AT_ONCE + file.code;
        }
      },
    },
  };
}

/** The address of a route or a resource, and the first module that is imported lazily after it. */
const ADDRESS_AND_MODULE = /\b(?:path|to): "(\/[^"]*)"(?:(?!\bpath: ).)*?\bimport\("([^"]+)"\)/gs;

/** By the address of a page, the modules it starts with: its own, and that of the tab that is shown at its address. */
function firstModules(ids: readonly string[], codeOf: (id: string) => string): Map<string, string[]> {
  const modules = new Map<string, string[]>();
  for (const id of ids.filter((name) => /\/client\/(?:app\/routes\/|.*-resource\.ts$)/.test(name))) {
    let page = '';
    // The modules of a resource are named in the file beside its definition.
    const code = [...new Set([id, id.replace('-resource.', '-pages.')])].map(codeOf).join('');
    for (const [, address = '', module = ''] of code.matchAll(ADDRESS_AND_MODULE)) {
      if (address !== '/') page = address;
      modules.set(page, [...(modules.get(page) ?? []), join(dirname(id), module)]);
    }
  }
  return modules;
}

/**
 * Writes `first-files.json`: for each page's path, the files it starts with, except those of the entry. The service
 * adds preloads for them to its page (spa.ts).
 */
function firstFiles(): Plugin {
  return {
    name: 'first-files',
    apply: 'build',
    generateBundle: {
      // Runs after Vite has assigned style sheets to chunks.
      order: 'post',
      handler(_, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const bringsAlong = (name: string, found: Set<string>): Set<string> => {
          const chunk = chunks.find(({ fileName }) => fileName === name);
          if (chunk === undefined || found.has(name)) return found;
          found.add(name);
          for (const sheet of chunk.viteMetadata?.importedCss ?? []) found.add(sheet);
          for (const imported of chunk.imports) bringsAlong(imported, found);
          return found;
        };
        const entry = bringsAlong(chunks.find(({ isEntry }) => isEntry)?.fileName ?? '', new Set());
        const filesOf = (module: string): string[] => {
          const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId === module);
          if (chunk === undefined) return this.error(`No page is loaded lazily for ${module}.`);
          return [...bringsAlong(chunk.fileName, new Set())].filter((file) => !entry.has(file));
        };
        const ids = [...this.getModuleIds()];
        const codeOf = (id: string): string => this.getModuleInfo(id)?.code ?? '';
        const modules = firstModules(ids, codeOf);
        const pages = ids.filter((id) => /\/client\/(?:app\/navigation|.*-resource)\.ts$/.test(id)).map(codeOf);
        const files = [...pages.join('').matchAll(/\bto: "([^"]+)"/g)].map(([, path = '']) => [
          path,
          [...new Set((modules.get(path) ?? [path]).flatMap(filesOf))].map((file) => `/${file}`),
        ]);
        this.emitFile({
          type: 'asset',
          fileName: 'first-files.json',
          source: JSON.stringify(Object.fromEntries(files)),
        });
      },
    },
  };
}

const isNamed = (id: string, names: readonly string[]): boolean => names.some((name) => id.includes(`/client/${name}`));

/** Fails the build if a name in `chunks.ts` matches no module. */
function chunkNames(): Plugin {
  return {
    name: 'chunk-names',
    apply: 'build',
    generateBundle() {
      const ids = [...this.getModuleIds()];
      const gone = Object.values(CHUNKS)
        .flat()
        .filter((name) => !ids.some((id) => isNamed(id, [name])));
      if (gone.length > 0) this.error(`chunks.ts names ${gone.join(', ')}, which is no module.`);
    },
  };
}

export default defineConfig({
  root: 'client',
  plugins: [react(), compileAtOnce(), firstFiles(), chunkNames(), precompress()],
  worker: { format: 'es', plugins: () => [compileAtOnce()] },
  // The service replaces this literal with a new nonce for every page (spa.ts).
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: '../dist/client',
    emptyOutDir: true,
    target: 'es2022',
    sourcemap: false,
    manifest: true,
    // The target browsers support `modulepreload` or do without it.
    modulePreload: { polyfill: false },
    // Inlined assets would need data: URLs, which the policy allows for images only.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What every page needs would otherwise be some twenty files, of which HTTP/1.1 fetches six at a time. Two
          // files and one style sheet, since libraries change less often than the app. The third contains what a first
          // page needs besides its own file; it must be small, since a page that needs a part of it loads all of it.
          groups: [
            { name: 'libraries', tags: ['$initial'], test: /node_modules.*\.[cm]?js$/, priority: 6 },
            { name: 'frame', tags: ['$initial'], priority: 5 },
            { name: 'parts', test: (id) => isNamed(id, CHUNKS.parts), minShareCount: 2, priority: 3 },
            { name: 'lists', test: (id) => isNamed(id, CHUNKS.lists), minShareCount: 2, priority: 2 },
            { name: 'members', test: (id) => isNamed(id, CHUNKS.members), minShareCount: 2, priority: 2 },
            { name: 'acts', test: (id) => isNamed(id, CHUNKS.acts), minShareCount: 2, priority: 1 },
            { name: 'transfer', test: (id) => isNamed(id, CHUNKS.transfer), minShareCount: 2, priority: 0 },
            { name: 'undo', test: (id) => isNamed(id, CHUNKS.undo), minShareCount: 2, priority: 1 },
            {
              name: 'import',
              test: (id) => isNamed(id, CHUNKS.import) || id.includes('/shared/password-hashes'),
              minShareCount: 2,
              priority: 1,
            },
          ],
        },
      },
    },
  },
});
