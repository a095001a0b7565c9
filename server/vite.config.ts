import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/**
 * The service as a few files: reading some 800 modules takes longer than running them. Its packages are in
 * `node_modules.js`, a name that `describeError` leaves out of the log; database drivers are loaded from their
 * packages.
 */
export default defineConfig({
  root: fileURLToPath(new URL('../', import.meta.url)),
  publicDir: false,
  ssr: { noExternal: true, external: ['better-sqlite3', 'mysql2'] },
  build: {
    ssr: true,
    outDir: 'dist/server',
    emptyOutDir: false,
    target: 'node22',
    minify: false,
    sourcemap: true,
    rolldownOptions: {
      input: {
        main: 'server/main.ts',
        'index-worker': 'server/search-index/worker.ts',
      },
      // Drivers that knex refers to but the service does not use.
      external: [/^(?:mariadb|mysql|oracledb|pg|pg-query-stream|sqlite3|tedious)(?:\/|$)/],
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name].js',
        codeSplitting: { groups: [{ name: 'node_modules', test: /node_modules/ }] },
      },
    },
  },
});
