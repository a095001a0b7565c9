// First step of `npm start` and `npm test`: brings node_modules up to package-lock.json. It runs before anything is
// installed, hence plain JavaScript on node: modules alone.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const lockPath = join(root, '.install-lock');
const DRIVER = Number(process.versions.node.split('.')[0]) >= 22 ? 'better-sqlite3-13' : 'better-sqlite3';
const say = (line) => process.stdout.write(`${line}\n`);

function refuseOldNode() {
  const oldest = readJson('package.json').engines.node.replace('>=', '');
  const [major, minor] = oldest.split('.').map(Number);
  const [ourMajor, ourMinor] = process.versions.node.split('.').map(Number);
  if (ourMajor > major || (ourMajor === major && ourMinor >= minor)) return;
  refuse(`Node ${oldest} or newer is needed; this is ${process.versions.node}.`);
}

/**
 * Why the packages must be installed; undefined when they need not. npm keeps a copy of the lock file inside
 * node_modules and writes it last, so that copy tells what is there and that the installation was completed.
 */
function staleBecause() {
  const wanted = readJson('package-lock.json').packages;
  let present;
  try {
    present = readJson('node_modules/.package-lock.json').packages;
  } catch {
    return 'node_modules is missing or incomplete';
  }
  const differs = Object.keys({ ...wanted, ...present }).some((path) => {
    if (path === '') return false;
    // Optional packages of other platforms are left out by npm.
    if (!present[path]) return !wanted[path].optional;
    return wanted[path]?.version !== present[path].version || wanted[path]?.integrity !== present[path].integrity;
  });
  if (differs) return 'node_modules differs from package-lock.json';
  if (wanted[`node_modules/${DRIVER}`] && !isDriverThere()) {
    return `node_modules was installed or compiled for another Node than ${process.version}`;
  }
  return undefined;
}

/** Of the releases that server/db/sqlite-driver.ts chooses from, npm leaves out those that do not fit the Node it runs on. */
function isDriverThere() {
  const required = createRequire(join(root, 'package.json'));
  try {
    if (DRIVER === 'better-sqlite3') required(`${DRIVER}/build/Release/better_sqlite3.node`);
    else required.resolve(DRIVER);
    return true;
  } catch {
    return false;
  }
}

/** One installation at a time: `npm ci` begins with the removal of node_modules. */
function lock() {
  try {
    writeFileSync(lockPath, '', { flag: 'wx' });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    refuse(
      `Another start is installing the packages: start again when it is done. If none is running, remove ${lockPath} first.`,
    );
  }
}

/** `npm ci`, its output passed on but for warnings, which nobody here could act upon; resolves to whether it succeeded. Development packages build the app, whatever NODE_ENV says. */
function npmCi() {
  return new Promise((done) => {
    const child = spawn('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => child.kill(signal));
    child.once('error', (error) => process.stderr.write(`npm could not be started: ${error.message}\n`));
    child.once('close', (code) => done(code === 0));
  });
}

async function install(reason) {
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  say(`Installing the packages (${reason}); the first time takes about a minute …`);
  const progress = setInterval(() => say(`… still installing, ${seconds()}`), 15_000);
  const installed = await npmCi();
  clearInterval(progress);
  if (installed) return say(`Packages installed in ${seconds()}.`);
  process.stderr.write(
    `The packages are not installed; npm says why above. It needs the registry that it is set up for.\n`,
  );
  process.exitCode = 1;
}

function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

function refuse(line) {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

refuseOldNode();
if (staleBecause()) {
  lock();
  try {
    const reason = staleBecause(); // another installation may have ended meanwhile
    if (reason) await install(reason);
  } finally {
    rmSync(lockPath, { force: true });
  }
}
