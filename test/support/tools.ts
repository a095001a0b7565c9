import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The programs that tests need, apart from packages of npm. */
export const TOOLS = {
  mariadb: { title: 'MariaDB', executables: ['mariadbd', 'mysqld'], packages: ['mariadb-server'] },
  chromium: {
    title: 'Chromium',
    // The browser without windows uses a fifth less processor time.
    executables: [
      'chromium-headless-shell',
      'chromium',
      'chromium-browser',
      'google-chrome',
      'Google Chrome',
      'Chromium',
    ],
    packages: ['chromium-headless-shell', 'fonts-dejavu-core'],
  },
  nginx: { title: 'nginx', executables: ['nginx'], packages: ['nginx-light'] },
  sqlite3: { title: 'sqlite3', executables: ['sqlite3'], packages: ['sqlite3'] },
  helm: { title: 'Helm', executables: ['helm'], packages: [] },
  systemdAnalyze: { title: 'systemd-analyze', executables: ['systemd-analyze'], packages: [] },
  promtool: { title: 'promtool', executables: ['promtool'], packages: ['prometheus'] },
  kubernetesValidate: { title: 'kubernetes-validate', executables: ['kubernetes-validate'], packages: [] },
} as const;
export type Tool = keyof typeof TOOLS;

/** Servers are in sbin, which is not in an ordinary user's PATH; on macOS, browsers are in bundles. */
const FOLDERS_BEYOND_PATH = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/usr/bin',
  '/opt/homebrew/bin',
  '/Applications/Google Chrome.app/Contents/MacOS',
  '/Applications/Chromium.app/Contents/MacOS',
];

/** The path of the tool's executable on this machine. Suites that need it are skipped if it is missing. */
export function findTool(
  tool: Tool,
  path = process.env['PATH'] ?? '',
  beyond = FOLDERS_BEYOND_PATH,
): string | undefined {
  const folders = [...path.split(delimiter).filter(Boolean), ...beyond];
  const candidates = TOOLS[tool].executables.flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find(isExecutable);
}

/** `describe` for a suite that needs a tool that `npm test` does not install. */
export const describeWith = (tool: Tool, title: string, suite: () => void): void =>
  describeWhere(findTool(tool) !== undefined, `${TOOLS[tool].title}, which is not installed`, title, suite);

/**
 * `describe` for a suite that needs something that not every machine has: without it, the suite is listed as skipped. With
 * CI=true, where nothing may be skipped, it is only printed.
 */
export function describeWhere(has: boolean, needs: string, title: string, suite: () => void): void {
  if (has) describe(title, suite);
  else if (process.env['CI'] === 'true') process.stdout.write(`  ${title}: skipped, needs ${needs}\n`);
  else describe(title, () => void it(`needs ${needs}`));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
