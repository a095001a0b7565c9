import { type ResolveHookSync, register, registerHooks } from 'node:module';
import { resolve } from './style-sheet-hooks.ts';

// First of all: a process runs several files, and what one of them imports stays for the others.
// Hooks in a thread of their own take twice as long, but are all that Node 22 and 24.0 can do beside those of tsx.
if (/^(?:22|24\.0)\./.test(process.versions.node)) register('./style-sheet-hooks.ts', import.meta.url);
else registerHooks({ resolve: resolve as ResolveHookSync });

// A warning of Node's, as of listeners that pile up, fails the test in which it comes. What Node says of its own plans
// depends on its release, and on packages.
process.on('warning', (warning) => {
  if (/Warning$/.test(warning.name) && !/^(?:Experimental|Deprecation)/.test(warning.name)) throw warning;
});

// A process that is told to end takes along what it started, which ends with it on `exit`.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
