import type { LoadHook } from 'node:module';

/** Node has no idea of style sheets: each becomes a module whose class names are the names themselves. */
export const load: LoadHook = async (url, context, nextLoad) =>
  url.endsWith('.css')
    ? {
        format: 'module',
        shortCircuit: true,
        source: 'export default new Proxy({}, { get: (_, name) => String(name) });',
      }
    : nextLoad(url, context);
