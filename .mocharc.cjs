const { availableParallelism } = require('node:os');
const { join } = require('node:path');
const { engines } = require('./package.json');
const { isInRange } = require('./server/config/supported-node.mjs');

// On an older Node, SQLite's driver ends the process without a word.
if (!isInRange(engines.node, process.versions.node)) {
  process.stderr.write(`Node ${engines.node} is required; this is ${process.versions.node}. "npm test" brings one.\n`);
  process.exit(1);
}

// What otherwise runs on SQLite alone: see describeOnDatabases.
if (process.argv.join().includes('(MariaDB in place of SQLite)')) process.env.TEST_DATABASES = 'mariadb';

module.exports = {
  extension: ['ts', 'tsx'],
  // Node 22 warns of stripping types. A rejection that nothing handles fails the test in which it comes.
  'node-option': ['disable-warning=ExperimentalWarning', 'unhandled-rejections=strict'],
  // A browser or a database server that files share ends with the process.
  exit: true,
  require: [join(__dirname, 'test', 'support', 'test-process.ts')],
  timeout: 60000,
  slow: 2000,
  // Half of the tests mostly wait. Each process may hold a browser and a database server, so there is a limit.
  jobs: Math.min(8, availableParallelism() * 2),
  ...(process.argv.includes('--parallel') && { reporter: join(__dirname, 'test', 'support', 'reporter.ts') }),
  'forbid-only': true,
  // Where no tool may be missing, nothing has a reason to be skipped.
  'forbid-pending': process.env.CI === 'true',
};
