const { join } = require('node:path');

// For tsx, which otherwise applies the tsconfig of the folder it is started in: one test file runs by `npx mocha FILE`.
process.env.TSX_TSCONFIG_PATH ??= join(__dirname, 'test', 'tsconfig.json');

module.exports = {
  extension: ['ts', 'tsx'],
  'node-option': ['import=tsx'],
  timeout: 60000,
  slow: 2000,
  'forbid-only': true,
};
