import type { LoadHook, ResolveHook } from 'node:module';

/** Node has no idea of style sheets: each becomes a module whose class names are the names themselves. */
export const load: LoadHook = (url, context, nextLoad) =>
  url.endsWith('.css')
    ? {
        format: 'module',
        shortCircuit: true,
        source: 'export default new Proxy({}, { get: (_, name) => String(name) });',
      }
    : nextLoad(url, context);

/** Of the router, which by default takes Node for the server of an app, the part that a browser gets. */
export const resolve: ResolveHook = (specifier, context, nextResolve) =>
  nextResolve(specifier, specifier.endsWith('/isServer') ? { ...context, conditions: ['browser', 'import'] } : context);
