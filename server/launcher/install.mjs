// node server/launcher/install.mjs [SCRIPT ARGUMENT…]: the first step of every npm script. Makes node_modules match
// package-lock.json, installs Node if the machine's is too old, and runs the script with it. It runs before anything is
// installed and on any Node, so it is plain JavaScript and imports only node: modules.
import { spawn } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import * as module from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isInRange } from '../config/supported-node.mjs';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const lockPath = join(root, '.install-lock');
const cachePath = join(root, '.install-cache');
const isWindows = process.platform === 'win32';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const range = readJson('package.json').engines.node;
const isSupported = isInRange(range, process.versions.node);
const nodeFolder = 'server/launcher/node';
const nodePackage = `node_modules/node-${isWindows ? 'win' : process.platform}-${process.arch}`;
const nodePath = join(root, nodeFolder, nodePackage, 'bin', isWindows ? 'node.exe' : 'node');
const usesOwnNode = !isSupported || process.execPath === nodePath;

/** @returns what has to be installed: each folder in which npm has to run, and the name of its contents */
function missing() {
  const found = [];
  if (isStale('')) found.push({ folder: '', name: 'the packages' });
  // npm treats each package of this folder as optional, so it does not fail if one cannot be installed.
  if (usesOwnNode && (isStale(nodeFolder) || !existsSync(nodePath)))
    found.push({ folder: nodeFolder, name: `Node ${ownNodeVersion()} (this is ${process.versions.node})` });
  return found;
}

/**
 * Whether node_modules is missing, incomplete or differs from the lock file: npm writes a copy of the lock file into it
 * when everything is installed.
 */
function isStale(folder) {
  const locked = readJson(join(folder, 'package-lock.json')).packages;
  let present;
  try {
    present = readJson(join(folder, 'node_modules/.package-lock.json')).packages;
  } catch {
    return true;
  }
  return Object.keys({ ...locked, ...present }).some((path) => {
    if (path === '') return false;
    // npm skips optional packages for other platforms.
    if (!present[path]) return !locked[path].optional;
    return locked[path]?.version !== present[path].version || locked[path]?.integrity !== present[path].integrity;
  });
}

/** The version of Node that can be installed on this machine; ends the process if there is none. */
function ownNodeVersion() {
  // The packages contain binaries for glibc.
  const isMusl = process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime;
  const own = isMusl ? undefined : readJson(join(nodeFolder, 'package-lock.json')).packages[nodePackage];
  return (
    own?.version ?? refuse(`Node ${range} is required and this is ${process.versions.node}: install one of these.`)
  );
}

/** Allows only one installation at a time, since `npm ci` begins by removing node_modules. */
function lock() {
  for (;;) {
    try {
      return writeFileSync(lockPath, String(process.pid), { flag: 'wx' });
    } catch (error) {
      if (error.code !== 'EEXIST')
        refuse(`The packages must be installed, but ${root} is not writable: ${error.message}`);
    }
    if (isLockOwned()) refuse('Another process is installing the packages. Try again when it is done.');
  }
}

/** False if the owner has just removed the lock or was killed; in the latter case, removes the lock. */
function isLockOwned() {
  try {
    const owner = Number(readFileSync(lockPath, 'utf8'));
    // A lock without a number is still being written.
    return owner === 0 || process.kill(owner, 0);
  } catch (error) {
    if (error.code === 'EPERM') return true;
    if (error.code !== 'ENOENT') rmSync(lockPath, { force: true });
    return false;
  }
}

async function install(folders) {
  const ending = new AbortController();
  const interrupt = (signal) => ending.abort(signal);
  for (const signal of SIGNALS) process.once(signal, interrupt);
  const names = folders.map(({ name }) => name).join(' and ');
  process.stdout.write(`Installing ${names}; the first time takes about half a minute …\n`);
  const env = isCacheWritable() ? process.env : { ...process.env, npm_config_cache: cachePath };
  const outcomes = await Promise.all(folders.map(({ folder }) => npmInstall(join(root, folder), env, ending.signal)));
  for (const signal of SIGNALS) process.off(signal, interrupt);
  if (ending.signal.aborted) fail('The installation was interrupted; the next start repeats it.');
  else if (!outcomes.every(Boolean) || missing().length > 0)
    fail('The packages could not be installed; see the npm errors above. npm needs access to its configured registry.');
}

/** False if npm would fail because this user cannot write its cache: a service account often has no home of its own. */
function isCacheWritable() {
  const cache = process.env.npm_config_cache; // npm sets it for the scripts that it runs
  if (cache === undefined) return true;
  try {
    const folder = join(cache, '_cacache');
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Runs no package's scripts, and prints none of npm's warnings, which operators cannot act on. Development packages are
 * installed regardless of NODE_ENV, since they are needed to build the app.
 * @returns whether it succeeded
 */
function npmInstall(cwd, env, signal) {
  return new Promise((done) => {
    const options = '--include=dev --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error';
    const npm = spawn('npm', ['ci', ...options.split(' ')], {
      cwd,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: isWindows,
    });
    signal.addEventListener('abort', () => {
      npm.kill(signal.reason);
      // npm ignores the signal while it unpacks packages.
      setTimeout(() => npm.kill('SIGKILL'), 2_000).unref();
    });
    npm.once('error', (error) => process.stderr.write(`npm could not be started: ${error.message}\n`));
    npm.once('close', (code) => done(code === 0));
  });
}

/** Creates a link to Node where npm's scripts and npx look first. */
function linkNode() {
  const folder = join(root, 'node_modules/.bin');
  const link = join(folder, isWindows ? 'node.exe' : 'node');
  if (existsSync(link)) return;
  rmSync(link, { force: true });
  mkdirSync(folder, { recursive: true });
  try {
    // On Windows, only administrators may create symbolic links.
    (isWindows ? linkSync : symlinkSync)(nodePath, link);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

/** Runs this script again with the Node that was installed. */
function runOnOwnNode() {
  const child = spawn(nodePath, process.argv.slice(1), { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both processes.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => refuse(`${nodePath} could not be started: ${error.message}`));
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

/** Prints the error; the process exits with status 1 once its pending work is done. */
function fail(line) {
  process.stderr.write(`${line}\n`);
  process.exitCode = 1;
}

function refuse(line) {
  fail(line);
  process.exit();
}

if (missing().length > 0) {
  lock();
  try {
    const folders = missing(); // another installation may have finished in the meantime
    if (folders.length > 0) await install(folders);
  } finally {
    rmSync(cachePath, { recursive: true, force: true });
    rmSync(lockPath, { force: true });
  }
}
const [script, ...args] = process.argv.slice(2);
if (!process.exitCode) {
  if (usesOwnNode) linkNode();
  if (script && !isSupported) runOnOwnNode();
  else if (script) {
    module.enableCompileCache(join(root, 'node_modules/.cache/node'));
    process.argv = [process.execPath, join(root, script), ...args];
    await import(pathToFileURL(process.argv[1]).href);
  }
}
