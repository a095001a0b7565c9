import { readFileSync } from 'node:fs';
import { type LoadHookSync, type ResolveHookSync, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'rolldown/utils';

/** Replaces a style sheet, which Node cannot import: the name of each class is the name itself. */
const CLASS_NAMES = 'data:text/javascript,export default new Proxy({}, { get: (_, name) => String(name) });';

const resolve: ResolveHookSync = (specifier, context, nextResolve) => {
  if (specifier.endsWith('.css')) return { url: CLASS_NAMES, format: 'module', shortCircuit: true };
  const resolved = nextResolve(specifier, context);
  if (!specifier.endsWith('/isServer')) return resolved;
  // The router takes Node for the server of an app. Hooks of Node 22 and 24.0 cannot set the condition `browser`.
  return { ...resolved, url: resolved.url.replace('server.js', 'client.js') };
};

/** Compiles JSX as the app's build does. Node itself strips types from everything else, as in production. */
const load: LoadHookSync = (url, context, nextLoad) => {
  if (!url.endsWith('.tsx')) return nextLoad(url, context);
  const file = fileURLToPath(url);
  const { code, map, errors } = transformSync(file, readFileSync(file, 'utf8'), { sourcemap: true });
  if (errors[0] !== undefined) throw errors[0];
  const sourceMap = Buffer.from(JSON.stringify(map)).toString('base64');
  return {
    format: 'module',
    source: `${code}\n//# sourceMappingURL=data:application/json;base64,${sourceMap}`,
    shortCircuit: true,
  };
};

// With `production`, React would be its production build, which does not report faults and has no `act`.
delete process.env['NODE_ENV'];

// The hooks apply to all test files of the process, because a module that one file imports stays loaded for the others.
registerHooks({ resolve, load });
process.setSourceMapsEnabled(true);

// A warning from Node, such as of too many listeners, fails the running test. Notes on experiments and deprecations do
// not: they depend on the release of Node and on packages.
process.on('warning', (warning) => {
  if (/Warning$/.test(warning.name) && !/^(?:Experimental|Deprecation)/.test(warning.name)) throw warning;
});

/** Adds its cause to a failure, which the reporter does not print: `fetch failed` alone says nothing. */
export const mochaHooks: Mocha.RootHookObject = {
  afterEach(this: Mocha.Context) {
    const error = this.currentTest?.err;
    if (error?.cause instanceof Error) error.message += ` (${error.cause.message})`;
  },
};

// A process that gets a signal exits, and with it everything that stops on `exit`.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
