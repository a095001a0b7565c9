// First step of `npm start` and `npm test`: makes node_modules match package-lock.json. It runs before anything is
// installed, so it is plain JavaScript and imports only node: modules.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const lockPath = join(root, '.install-lock');
const DRIVER = Number(process.versions.node.split('.')[0]) >= 22 ? 'better-sqlite3-13' : 'better-sqlite3';
let interrupted = false;
const say = (line) => process.stdout.write(`${line}\n`);

function refuseOldNode() {
  const oldest = readJson('package.json').engines.node.replace('>=', '');
  const [major, minor] = oldest.split('.').map(Number);
  const [ourMajor, ourMinor] = process.versions.node.split('.').map(Number);
  if (ourMajor > major || (ourMajor === major && ourMinor >= minor)) return;
  refuse(`Node ${oldest} or newer is required; this is ${process.versions.node}.`);
}

/**
 * Why the packages must be installed; undefined if they need not be. npm writes a copy of the lock file into
 * node_modules last, so it shows what is installed and that the installation was completed.
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
    // npm skips optional packages for other platforms.
    if (!present[path]) return !wanted[path].optional;
    return wanted[path]?.version !== present[path].version || wanted[path]?.integrity !== present[path].integrity;
  });
  if (differs) return 'node_modules differs from package-lock.json';
  if (wanted[`node_modules/${DRIVER}`] && !isDriverThere()) {
    return `node_modules was installed or compiled for another Node than ${process.version}`;
  }
  return undefined;
}

/** npm skips the releases of the driver that do not support the current Node (see server/db/sqlite-driver.ts). */
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

/** One installation at a time, since `npm ci` begins by removing node_modules. */
function lock() {
  try {
    writeFileSync(lockPath, '', { flag: 'wx' });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    refuse(
      `Another process is installing the packages. Try again when it is done. If none is running, remove ${lockPath} first.`,
    );
  }
}

/**
 * Installs without running any package's scripts; then compiles, or downloads, the one driver that comes without binaries.
 * npm would also compile the other one, which has them, and remove it where there is no compiler.
 * @returns whether the packages are installed; the driver is optional
 */
async function installAll() {
  // Development packages too, which build the app, whatever NODE_ENV says.
  if (!(await npm('ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'))) return false;
  const compiled = DRIVER === 'better-sqlite3' && readJson('package-lock.json').packages[`node_modules/${DRIVER}`];
  if (compiled && !(await npm('rebuild', DRIVER))) {
    if (interrupted) return false;
    say(`${DRIVER} could not be compiled, so there is no SQLite; see the npm errors above.`);
  }
  return true;
}

/** Runs npm without its warnings, which operators cannot act on. @returns whether it succeeded */
function npm(...args) {
  return new Promise((done) => {
    const child = spawn('npm', [...args, '--loglevel=error'], {
      cwd: root,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
      process.once(signal, () => {
        interrupted = true;
        child.kill(signal);
      });
    child.once('error', (error) => process.stderr.write(`npm could not be started: ${error.message}\n`));
    child.once('close', (code) => done(code === 0));
  });
}

async function install(reason) {
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  say(`Installing the packages (${reason}); the first time takes about a minute …`);
  const progress = setInterval(() => say(`… still installing, ${seconds()}`), 15_000);
  const installed = await installAll();
  clearInterval(progress);
  if (installed) return say(`Packages installed in ${seconds()}.`);
  process.stderr.write(
    `The packages could not be installed; see the npm errors above. npm needs access to its configured registry.\n`,
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
