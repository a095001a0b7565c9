const { accessSync, constants } = require('node:fs');
const { availableParallelism, tmpdir } = require('node:os');
const { join, resolve } = require('node:path');
const { engines } = require('./package.json');
const { isInRange } = require('./server/config/supported-node.mjs');

// On an older Node, SQLite's driver ends the process without a word.
if (!isInRange(engines.node, process.versions.node)) {
  process.stderr.write(`Node ${engines.node} is required; this is ${process.versions.node}. "npm test" brings one.\n`);
  process.exit(1);
}

// What otherwise runs on SQLite alone: see describeOnDatabases.
if (process.argv.join().includes('(MariaDB in place of SQLite)')) process.env.TEST_DATABASES = 'mariadb';

// Servers and browsers run in other folders and keep sockets here, whose paths may have no more than 103 bytes. MariaDB's
// installer splits paths at spaces. `su` may leave the folder of another user.
const MAX_TMPDIR_BYTES = 56;
process.env.TMPDIR = [resolve(tmpdir()), '/tmp'].find(isUsable) ?? tmpdir();

function isUsable(folder) {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return Buffer.byteLength(folder) <= MAX_TMPDIR_BYTES && !/\s/.test(folder);
  } catch {
    return false;
  }
}

module.exports = {
  extension: ['ts', 'tsx'],
  // Node 22 warns of stripping types. A rejection that nothing handles fails the test in which it comes.
  'node-option': ['disable-warning=ExperimentalWarning', 'unhandled-rejections=strict'],
  // A browser or a database server that files share ends with the process.
  exit: true,
  require: [join(__dirname, 'test', 'support', 'test-process.ts')],
  // For what hangs, and not for what is slow: beside others, a test takes twenty times as long.
  timeout: 300000,
  slow: 2000,
  // Half of the tests mostly wait. Each process may hold a browser and a database server, so there is a limit.
  jobs: Math.min(8, availableParallelism() * 2),
  ...(process.argv.includes('--parallel') && { reporter: join(__dirname, 'test', 'support', 'reporter.ts') }),
  'forbid-only': true,
  // Where no tool may be missing, nothing has a reason to be skipped.
  'forbid-pending': process.env.CI === 'true',
};
