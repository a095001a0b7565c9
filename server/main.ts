import { packageRoot } from './config/package-root.ts';
import { isInRange } from './config/supported-node.mjs';

// Before anything else is imported: on an older Node, SQLite's driver ends the process without a message.
const { nodeRange } = packageRoot();
if (isInRange(nodeRange, process.versions.node)) await import('./commands.ts');
else {
  process.stderr.write(`Node ${nodeRange} is required; this is ${process.versions.node}.\n`);
  process.exitCode = 1;
}
