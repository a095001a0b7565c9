import type { ResolveHook } from 'node:module';

/** In place of a style sheet, which Node cannot import: each class name is the name itself. */
const CLASS_NAMES = 'data:text/javascript,export default new Proxy({}, { get: (_, name) => String(name) });';

/** Also resolves the browser's part of the router, which by default takes Node for the server of an app. */
export const resolve: ResolveHook = (specifier, context, nextResolve) => {
  if (specifier.endsWith('.css')) return { url: CLASS_NAMES, format: 'module', shortCircuit: true };
  return nextResolve(
    specifier,
    specifier.endsWith('/isServer') ? { ...context, conditions: ['browser', 'import'] } : context,
  );
};
