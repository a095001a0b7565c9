import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const COMPRESSIBLE = /\.(?:js|css|svg|json|woff2?)$/;
/** Below this, compression saves no packet. */
const WORTH_COMPRESSING_BYTES = 512;

/** Has Chromium compile a whole script while it loads, on another thread, instead of each function when it is called. */
const COMPILE_AT_ONCE = Buffer.from('//# allFunctionsCalledOnLoad\n');

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
  const built = await readFile(path);
  const bytes = path.endsWith('.js') ? Buffer.concat([COMPILE_AT_ONCE, built]) : built;
  if (bytes !== built) await writeFile(path, bytes);
  if (bytes.length < WORTH_COMPRESSING_BYTES) return;
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
    promisify(gzip)(bytes, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${path}.br`, brotli), writeFile(`${path}.gz`, gzipped)]);
}

export default defineConfig({
  root: 'client',
  plugins: [react(), precompress()],
  worker: { format: 'es' },
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
          // Otherwise every page would load some thirty files, of which HTTP/1.1 fetches six at a time. A higher threshold
          // merges the table of outcomes into the import's first page, which then loads tables and menus with it.
          groups: [
            { name: 'libraries', tags: ['$initial'], test: (id) => id.includes('/node_modules/'), priority: 4 },
            { name: 'frame', tags: ['$initial'], priority: 3 },
            {
              name: 'lists',
              test: /client\/(?:list\/(?:list-page|filters|bulk-actions|newer-rows)|ui\/more-button)\./,
              priority: 1,
            },
            { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 1_500 },
          ],
        },
      },
    },
  },
});
