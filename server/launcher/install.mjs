// First step of `npm start` and `npm test`: brings node_modules up to package-lock.json. It runs before anything is
// installed, hence plain JavaScript on node: modules alone.
import { spawn } from 'node:child_process';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
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
  process.stderr.write(`Node ${oldest} or newer is needed; this is ${process.versions.node}.\n`);
  process.exit(1);
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

/** One installation at a time. The lock holds its owner's process id, so that one left by a crash is taken over. */
async function lock() {
  const ours = `${lockPath}.${process.pid}`;
  writeFileSync(ours, String(process.pid));
  try {
    for (let waited = 0; ; waited += 1) {
      try {
        linkSync(ours, lockPath); // fails when it exists, and never shows a lock without its content
        return;
      } catch (error) {
        if (error.code !== 'EEXIST') throw error;
      }
      if (!takeOverFromTheDead() && waited % 60 === 0) say('Waiting for another installation of the packages …');
      await wait(500);
    }
  } finally {
    rmSync(ours, { force: true });
  }
}

function takeOverFromTheDead() {
  try {
    process.kill(Number(readFileSync(lockPath, 'utf8')), 0);
    return false;
  } catch (error) {
    if (error.code !== 'ESRCH') return error.code === 'ENOENT';
  }
  const aside = `${lockPath}.dead-${process.pid}`;
  try {
    renameSync(lockPath, aside);
    rmSync(aside, { force: true });
  } catch {
    // Another process was faster.
  }
  return true;
}

/** `npm ci`, its output passed on but for warnings, which nobody here could act upon; resolves to its exit code. Development packages build the app, whatever NODE_ENV says. */
function npmCi() {
  return new Promise((done) => {
    const started = Date.now();
    const child = spawn('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    process.once('exit', () => child.kill());
    const progress = setInterval(() => say(`… still installing, ${seconds(started)} s`), 15_000);
    child.once('error', (error) => {
      process.stderr.write(`npm could not be started: ${error.message}\n`);
    });
    child.once('close', (code) => {
      clearInterval(progress);
      if (code === 0) say(`Packages installed in ${seconds(started)} s.`);
      done(code ?? 1);
    });
  });
}

function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

function seconds(since) {
  return Math.round((Date.now() - since) / 1000);
}

refuseOldNode();
if (staleBecause()) {
  await lock();
  const unlock = () => rmSync(lockPath, { force: true });
  process.once('exit', unlock);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  const reason = staleBecause(); // another installation may have ended meanwhile
  if (reason) {
    say(`Installing the packages (${reason}); the first time takes about a minute …`);
    process.exitCode = await npmCi();
  }
}
