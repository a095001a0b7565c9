import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const IMPORTS = 'lint/style/noRestrictedImports';

/** A file of this folder that imports that. */
const FORBIDDEN: [folder: string, specifier: string][] = [
  ['shared', 'react'],
  ['shared', 'node:crypto'],
  ['shared', '../server/log/log.ts'],
  ['client', '../server/log/log.ts'],
  ['client/app', '../../server/log/log.ts'],
  ['client/app', 'node:fs'],
  ['client/features/settings', '../../../server/features/settings/settings-vault.ts'],
  ['client/features/settings', '../../app/router.ts'],
  ['client/features/settings', '../identities/identity-list.tsx'],
  ['client/features/settings', './../identities/identity-name.ts'],
  ['client/features/settings', '../../features/identities/identity-name.ts'],
  ['client/features/settings', '../../ui/../features/identities/identity-name.ts'],
  ['client/features/identities/list', '../../settings/categories.ts'],
  ['client/features/identities/list', '../../settings/editor/setting-form.tsx'],
  ['client/features/identities/list', '../../../features/settings/categories.ts'],
  ['client/features/identities/list', './../../settings/categories.ts'],
  ['client/features/identities/list', '../form/../../settings/categories.ts'],
  ['client/features/identities/list', '../../../app/router.ts'],
  ['client/features/identities/list', '../../../../server/log/log.ts'],
  ['client/features/identities/list', 'node:fs'],
  ['client/features/identities/list/rows', '../../../settings/categories.ts'],
  ['client/features/identities/list/rows/cells', '../../../../settings/categories.ts'],
  ['client/api', '../../server/log/log.ts'],
  ['client/api', '../features/settings/settings-page.tsx'],
  ['client/api', '../ui/copy-button.tsx'],
  ['client/api', '../app/router.ts'],
  ['client/api', '../resource/list/resource-table.tsx'],
  ['client/session', '../api/request.ts'],
  ['client/session', '../ui/copy-button.tsx'],
  ['client/session', '../resource/list/resource-table.tsx'],
  ['client/session', '../features/settings/settings-page.tsx'],
  ['client/session', '../app/router.ts'],
  ['client/session', '../../server/log/log.ts'],
  ['client/resource', '../features/settings/settings-page.tsx'],
  ['client/resource', '../app/router.ts'],
  ['client/resource', '../../server/log/log.ts'],
  ['client/resource/list', '../../features/identities/identity-name.ts'],
  ['client/resource/list', '../../features/identities/list/identities-page.tsx'],
  ['client/resource/list', '../../app/router.ts'],
  ['client/resource/list', '../../../server/log/log.ts'],
  ['client/resource/list', 'node:fs'],
  ['client/format', '../features/overview/overview-page.tsx'],
  ['client/format', '../api/sessions.ts'],
  ['client/format', '../ui/counted.ts'],
  ['client/format', '../resource/list/resource-table.tsx'],
  ['client/format', '../session/sign-in.ts'],
  ['client/format', '../map/same-place.ts'],
  ['client/format', '../app/router.ts'],
  ['client/format', '../../server/log/log.ts'],
  ['client/map', '../features/overview/overview-page.tsx'],
  ['client/map', '../api/session-locations.ts'],
  ['client/map', '../resource/list/resource-table.tsx'],
  ['client/map', '../session/sign-in.ts'],
  ['client/map', '../app/router.ts'],
  ['client/map', '../../server/log/log.ts'],
  ['client/audit-view', '../features/security/security-page.tsx'],
  ['client/audit-view', '../resource/list/resource-table.tsx'],
  ['client/audit-view', '../session/sign-in.ts'],
  ['client/audit-view', '../app/router.ts'],
  ['client/audit-view', '../../server/log/log.ts'],
  ['client/ui', '../resource/list/resource-table.tsx'],
  ['client/ui', '../api/request.ts'],
  ['client/ui', '../features/settings/settings-page.tsx'],
  ['client/ui', '../app/router.ts'],
  ['client/ui', '../../server/log/log.ts'],
  ['server', './sandbox/start-sandbox.ts'],
  ['server', './launcher/start.ts'],
  ['server', './launcher/keys.ts'],
  ['server', '../client/main.tsx'],
  ['server', '../test/support/tools.ts'],
  ['server/some-new-folder', '../sandbox/start-sandbox.ts'],
  ['server/launcher', '../../client/main.tsx'],
  ['server/config', '../features/settings/settings-vault.ts'],
  ['server/config', '../db/database.ts'],
  ['server/config', '../sandbox/start-sandbox.ts'],
  ['server/features/settings', '../identities/identities-router.ts'],
  ['server/features/settings', './../identities/identities-router.ts'],
  ['server/features/settings', '../../features/identities/identities-router.ts'],
  ['server/features/settings/vault', '../../identities/identities-router.ts'],
  ['server/features/settings/vault', '../../identities/directory/identity-directory.ts'],
  ['server/features/settings/vault', '../rows/../../identities/identities-router.ts'],
  ['server/features/settings/vault', '../../../features/identities/identities-router.ts'],
  ['server/features/settings/vault', '../../../gate/require-session.ts'],
  ['server/features/settings/vault', '../../../config/env.ts'],
  ['server/features/settings/vault', '../../../deps.ts'],
  ['server/features/settings/vault', '../../../sandbox/start-sandbox.ts'],
  ['server/features/settings/vault', '../../../upstream/proxy/proxy.ts'],
  ['server/features/settings/vault', '../../../../client/api/request.ts'],
  ['server/features/settings/vault/rows', '../../../identities/identities-router.ts'],
  ['server/features/settings', '../../gate/require-session.ts'],
  ['server/features/settings', '../../config/env.ts'],
  ['server/features/settings', '../../deps.ts'],
  ['server/features/settings', '../../app.ts'],
  ['server/features/settings', '../../service.ts'],
  ['server/features/settings', '../../sandbox/start-sandbox.ts'],
  ['server/features/settings', '../../../client/api/request.ts'],
  ['server/gate', '../features/settings/settings-vault.ts'],
  ['server/gate', '../upstream/proxy/proxy.ts'],
  ['server/gate', '../audit/audit-trail.ts'],
  ['server/gate', '../deps.ts'],
  ['server/gate', '../sandbox/start-sandbox.ts'],
  ['server/session', '../features/settings/settings-vault.ts'],
  ['server/session', '../gate/require-session.ts'],
  ['server/session', '../upstream/proxy/proxy.ts'],
  ['server/session', '../config/env.ts'],
  ['server/session', '../sandbox/start-sandbox.ts'],
  ['server/upstream', '../features/settings/settings-vault.ts'],
  ['server/upstream', '../session/session-token.ts'],
  ['server/upstream', '../db/database.ts'],
  ['server/upstream', '../crypto/cipher.ts'],
  ['server/upstream', '../sandbox/start-sandbox.ts'],
  ['server/audit', '../features/settings/settings-vault.ts'],
  ['server/audit', '../session/session-token.ts'],
  ['server/audit', '../upstream/proxy/proxy.ts'],
  ['server/audit', '../deps.ts'],
  ['server/db', '../audit/audit-trail.ts'],
  ['server/db', '../features/settings/settings-vault.ts'],
  ['server/db', '../session/revocations.ts'],
  ['server/db', '../config/env.ts'],
  ['server/geo', '../audit/audit-trail.ts'],
  ['server/geo', '../features/geo/geo-router.ts'],
  ['server/http', '../db/database.ts'],
  ['server/http', '../session/session-token.ts'],
  ['server/http', '../features/settings/settings-vault.ts'],
  ['server/http', '../config/env.ts'],
  ['server/crypto', '../db/database.ts'],
  ['server/crypto', '../upstream/proxy/proxy.ts'],
  ['server/crypto', '../sandbox/start-sandbox.ts'],
  ['server/sandbox', '../session/session-token.ts'],
  ['server/sandbox', '../features/settings/settings-vault.ts'],
  ['server/sandbox', '../db/database.ts'],
  ['server/sandbox', '../service.ts'],
  ['server/features/settings', '../../upstream/proxy/proxy.ts'],
  ['server/features/settings', '../../upstream/proxy/exchange.ts'],
  ['server/upstream', './proxy/exchange.ts'],
  ['server/upstream/proxy', '../../session/session-token.ts'],
  ['server/upstream/proxy', '../../features/settings/settings-vault.ts'],
  ['server/upstream/proxy', '../../config/env.ts'],
];

const ALLOWED: [folder: string, specifier: string][] = [
  ['shared', './errors.ts'],
  ['client', './app/router.ts'],
  ['client/app', '../features/settings/settings-page.tsx'],
  ['client/format', '../../shared/identities.ts'],
  ['client/features/identities/list', '../../../wording/identity-name.ts'],
  ['client/api', '../wording/identity-name.ts'],
  ['client/map', '../ui/counted.ts'],
  ['client/map', '../../shared/geo.ts'],
  ['client/audit-view', '../api/audit.ts'],
  ['client/audit-view', '../ui/relative-time.tsx'],
  ['client/features/settings', '../../oversight/subject-history.tsx'],
  ['client/features/overview', '../../map/session-map.tsx'],
  ['client/features/overview/widgets', '../../../map/session-map.tsx'],
  ['client/features/settings', '../../api/request.ts'],
  ['client/features/settings', '../../ui/copy-button.tsx'],
  ['client/features/settings', '../../../shared/errors.ts'],
  ['client/features/settings', './reveal.tsx'],
  ['client/features/settings', './editor/setting-form.tsx'],
  ['client/features/identities/list', './identities-table.tsx'],
  ['client/features/identities/list', '../identity-name.ts'],
  ['client/features/identities/list', '../bulk/bulk-actions.tsx'],
  ['client/features/identities/list', '../../../ui/copy-button.tsx'],
  ['client/features/identities/list', '../../../api/request.ts'],
  ['client/features/identities/list', '../../../../shared/errors.ts'],
  ['client/api', '../../shared/errors.ts'],
  ['client/api', '../session/session-end.ts'],
  ['client/session', '../../shared/errors.ts'],
  ['client/resource/list', '../../api/cursor-page.ts'],
  ['client/resource/list', '../../ui/failure-panel.tsx'],
  ['client/resource/list', '../bulk/bulk-runner.ts'],
  ['client/resource/list', '../../../shared/identities.ts'],
  ['client/resource/list', '@tanstack/react-router'],
  ['client/features/identities/list', '../../../resource/list/resource-table.tsx'],
  ['client/ui', '@mantine/core'],
  ['server', './app.ts'],
  ['server', './config/env.ts'],
  ['server/launcher', '../sandbox/start-sandbox.ts'],
  ['server/config', '../db/database-address.ts'],
  ['server/features/settings', './settings-vault.ts'],
  ['server/features/settings', './vault/settings-vault.ts'],
  ['server/features/settings/vault', './rows.ts'],
  ['server/features/settings/vault', '../setting-input.ts'],
  ['server/features/settings/vault', '../rows/setting-rows.ts'],
  ['server/features/settings/vault', '../../../audit/audit-trail.ts'],
  ['server/features/settings/vault', '../../../config/config.ts'],
  ['server/features/settings/vault', '../../../../shared/errors.ts'],
  ['server/features/settings', '../../session/current-session.ts'],
  ['server/features/settings', '../../audit/audit-trail.ts'],
  ['server/features/settings', '../../config/config.ts'],
  ['server/features/settings', '../../../shared/errors.ts'],
  ['server/gate', '../session/current-session.ts'],
  ['server/session', '../crypto/signer.ts'],
  ['server/session', '../db/database.ts'],
  ['server/upstream', '../http/api-error.ts'],
  ['server/audit', '../db/database.ts'],
  ['server/audit', '../crypto/signer.ts'],
  ['server/db', '../log.ts'],
  ['server/http', '../../shared/errors.ts'],
  ['test/unit', '../../server/sandbox/start-sandbox.ts'],
  ['server/features/settings', '../../upstream/identity-store.ts'],
  ['server/upstream/proxy', '../upstream-failure.ts'],
];

/** A whole file and the rule it breaks. */
const OTHER_RULES: [path: string, code: string, rule: string][] = [
  ['server/http/port.ts', 'export const port = process.env.PORT;', 'lint/style/noProcessEnv'],
  ['client/ui/mode.ts', 'export const mode = process.env.NODE_ENV;', 'lint/style/noProcessEnv'],
  ['server/http/loud.ts', "console.log('x');", 'lint/suspicious/noConsole'],
  ['client/ui/loud.ts', "console.log('x');", 'lint/suspicious/noConsole'],
  ['server/http/any.ts', 'export const loose = (x: any) => x;', 'lint/suspicious/noExplicitAny'],
  ['server/http/default.ts', 'export default 1;', 'lint/style/noDefaultExport'],
  ['server/http/barrel.ts', "export * from './log.ts';", 'lint/performance/noBarrelFile'],
  ['server/http/enum.ts', 'export enum E { A }', 'lint/style/noEnum'],
  ['server/http/camelCase.ts', 'export const one = 1;', 'lint/style/useFilenamingConvention'],
  [
    'server/http/cycle-a.ts',
    "import { b } from './cycle-b.ts';\nexport const a = () => b;",
    'lint/suspicious/noImportCycles',
  ],
  [
    'server/http/cycle-b.ts',
    "import { a } from './cycle-a.ts';\nexport const b = () => a;",
    'lint/suspicious/noImportCycles',
  ],
  ['test/unit/only.test.ts', "describe.only('x', () => {});", 'lint/suspicious/noFocusedTests'],
  ['test/unit/skip.test.ts', "describe.skip('x', () => {});", 'lint/suspicious/noSkippedTests'],
];

describe('lint rules', () => {
  let folder: string;
  /** Rules broken, by file. */
  let findings: Map<string, Set<string>>;
  const fileOf = (kind: string, index: number, where: string) => `${where}/${kind}-${index}.ts`;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'lint-'));
    for (const name of ['biome.json', '.gitignore']) copyFileSync(join(root, name), join(folder, name));
    const importing = (specifier: string) => `import { thing } from '${specifier}';\n\nthing();\n`;
    for (const [index, [where, what]] of FORBIDDEN.entries()) plant(fileOf('forbidden', index, where), importing(what));
    for (const [index, [where, what]] of ALLOWED.entries()) plant(fileOf('allowed', index, where), importing(what));
    plant('server/features/settings/late.ts', "export const late = () => import('../../sandbox/start-sandbox.ts');\n");
    for (const [path, code] of OTHER_RULES) plant(path, `${code}\n`);
    findings = lint();
  });

  after(() => rmSync(folder, { recursive: true }));

  function plant(path: string, code: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), code);
  }

  function lint(): Map<string, Set<string>> {
    const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
    const args = [biome, 'lint', '--error-on-warnings', '--max-diagnostics=none', '--reporter=json'];
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 26 });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { category: string; location: { path: string } }[] };
    const found = new Map<string, Set<string>>();
    for (const { category, location } of diagnostics)
      found.set(location.path, (found.get(location.path) ?? new Set()).add(category));
    return found;
  }

  FORBIDDEN.forEach(([where, what], index) => {
    it(`forbid ${where} to import ${what}`, () => {
      assert.ok(findings.get(fileOf('forbidden', index, where))?.has(IMPORTS));
    });
  });

  ALLOWED.forEach(([where, what], index) => {
    it(`let ${where} import ${what}`, () => {
      assert.ok(!findings.get(fileOf('allowed', index, where))?.has(IMPORTS));
    });
  });

  it('see an import at run time as well', () => {
    assert.ok(findings.get('server/features/settings/late.ts')?.has(IMPORTS));
  });

  for (const [path, code, rule] of OTHER_RULES)
    it(`find ${rule.split('/').at(-1)} in ${path}`, () => {
      assert.ok(findings.get(path)?.has(rule), `${code} passed`);
    });
});
