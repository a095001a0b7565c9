import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const output = (format: 'es' | 'cjs', entryFileNames: string) =>
  ({ format, entryFileNames, codeSplitting: false }) as const;

/** One file for `import` and one for `require`; dependencies are not bundled. */
export default defineConfig({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  publicDir: false,
  ssr: { external: ['mysql2'] },
  build: {
    ssr: true,
    outDir: 'dist/settings-reader',
    target: 'node22',
    minify: false,
    rolldownOptions: {
      input: 'server/settings-reader/settings-reader.ts',
      output: [output('es', 'settings-reader.js'), output('cjs', 'settings-reader.cjs')],
    },
  },
});
