import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { FIRST_MODULES } from './client/app/startup/first-modules.ts';
import { themeVariables } from './client/app/startup/theme-variables.ts';

const COMPRESSIBLE = /\.(?:js|css|svg|json|woff2?)$/;
/** Below this a compressed copy does not save a packet. */
const WORTH_COMPRESSING_BYTES = 512;

/** Writes `.br` (quality 11) and `.gz` beside each hashed asset, so that the service never compresses at run time. */
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

/** Chromium's word for that (136 and later): the first line of a script. */
const COMPILE_AT_ONCE = '//# allFunctionsCalledOnLoad\n';

/**
 * Most functions of a chunk are called as soon as it arrives. The browser compiles all of them while it downloads the
 * rest, on another thread; otherwise each one's first call waits for its compilation.
 */
function compileAtOnce(): Plugin {
  return {
    name: 'compile-at-once',
    apply: 'build',
    generateBundle: {
      // Vite writes the names of what a chunk imports above it.
      order: 'post',
      handler(_, bundle) {
        for (const file of Object.values(bundle)) {
          if (file.type === 'chunk') file.code = COMPILE_AT_ONCE + file.code;
        }
      },
    },
  };
}

/**
 * Writes `first-files.json`: by a page's address the files that it begins with, the entry's own left out. The service
 * names them in its page (spa.ts).
 */
function firstFiles(): Plugin {
  return {
    name: 'first-files',
    apply: 'build',
    generateBundle: {
      // Vite says in its own turn which style sheets belong to a chunk.
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
          const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/client/${module}`));
          if (chunk === undefined) return this.error(`first-modules.ts names ${module}, which is no page.`);
          return [...bringsAlong(chunk.fileName, new Set())].filter((file) => !entry.has(file));
        };
        const files = Object.entries(FIRST_MODULES).map(([path, modules]) => [
          path,
          [...new Set(modules.flatMap(filesOf))].map((file) => `/${file}`),
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

/** `import 'virtual:theme-variables.css'`. */
function themeStyles(): Plugin {
  const file = '/theme-variables.css';
  return {
    name: 'theme-styles',
    resolveId: (id) => (id === `virtual:${file.slice(1)}` ? file : undefined),
    load: (id) => (id === file ? themeVariables() : undefined),
  };
}

/** What many pages share: Mantine's fields, icons, and of our own what brings no dialog or editor along. */
const PARTS = [
  /@mantine\/core\/.*\/(?:Input|InputBase|TextInput|NativeSelect)(?:\/|\.)/,
  /@tabler/,
  /client\/ui\/(?:closed-page|copy-|counted|csv|empty-state|fact-list|guarded-button|relative-time|save-file|search-form|status-dot|use-focus-when-drawn)/,
  /client\/resource\/(?:list\/|bulk\/bulk-actions)/,
  /client\/features\/identities\/(?:identity-resource|state-in-words)\.ts$/,
];
/** What the steps of an import share, in one file: the shell names each. */
const IMPORT =
  /client\/features\/identities\/transfer\/(?:import-outcomes|file-password|schema-choice|transfer\.module)|shared\/password-hashes/;

export default defineConfig({
  root: 'client',
  plugins: [react(), themeStyles(), compileAtOnce(), firstFiles(), precompress()],
  worker: { format: 'es', plugins: () => [compileAtOnce()] },
  // The service puts a fresh nonce in this literal's place with every page (spa.ts).
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: '../dist/client',
    emptyOutDir: true,
    target: 'es2022',
    sourcemap: false,
    manifest: true,
    // Browsers of the target know `modulepreload`, or do without.
    modulePreload: { polyfill: false },
    // Inlined assets would need data: addresses, which the policy allows for images alone.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What every page needs would otherwise arrive in some twenty files, which HTTP/1.1 fetches six at a time.
          // Two, and one style sheet: libraries change less often than the app. The third is what a first page waits for besides its own file;
          // it must be light, for each page that needs one piece of it gets them all.
          groups: [
            { name: 'libraries', tags: ['$initial'], test: /node_modules.*\.[cm]?js$/, priority: 6 },
            { name: 'frame', tags: ['$initial'], priority: 5 },
            { name: 'parts', test: (id) => PARTS.some((part) => part.test(id)), minShareCount: 2, priority: 3 },
            { name: 'import', test: IMPORT, minShareCount: 2, priority: 1 },
          ],
        },
      },
    },
  },
});
