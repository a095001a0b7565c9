import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startDashboard } from './dashboard.ts';
import { startMariadb } from './databases.ts';
import { signInUpToCallback } from './http-sign-in.ts';

// `node test/support/dump-release.ts RELEASE` fills an SQLite and a MariaDB database by typical use of this release, and
// dumps them into the fixtures. It needs sqlite3 and mariadb-dump.
const [release] = process.argv.slice(2);
assert.ok(release, 'usage: dump-release.ts RELEASE');

const START = Date.UTC(2026, 10, 22, 12);

/** Signs in, and fills every table through the API. */
async function use(databaseUrl: string): Promise<void> {
  const startedAt = performance.now();
  const now = (): number => START + Math.floor(performance.now() - startedAt);
  const dashboard = await startDashboard({ env: { DATABASE_URL: databaseUrl }, locks: true, now, sandbox: { now } });
  const { call, signIn, url, baseUrl, operator } = dashboard;
  try {
    const session = await signIn('admin');
    const expect = async (
      status: number,
      path: string,
      options: Parameters<typeof call>[1] = {},
    ): Promise<Response> => {
      const response = await call(path, { session, ...options });
      assert.equal(response.status, status, path);
      return response;
    };
    await expect(201, '/api/settings', { json: { key: 'mail.sender', value: 'Grace' } });
    await expect(200, '/api/settings', { json: { key: 'mail.sender', value: 'Ada’s "mail" \\ ä', category: 'mail' } });
    await expect(201, '/api/settings', { json: { key: 'mail.password', value: 'pässword', encrypted: true } });
    await expect(200, '/api/settings/mail.password?decrypt=true');
    await expect(200, '/api/dashboard/layout', {
      method: 'PUT',
      json: { layout: { widgets: [{ id: 'services', x: 0, y: 0, w: 12, h: 4 }], hidden: [] } },
    });
    await expect(200, '/api/dashboard/views', {
      method: 'PUT',
      json: { views: [{ id: 'mine', resource: 'identities', name: 'Mine', search: 'q=ada' }] },
    });
    await expect(200, '/api/identities?email=ada@example.com');
    const ended = await signIn('viewer');
    await expect(204, '/api/auth/logout', { method: 'POST', session: ended });
    const identity_id = JSON.parse(Buffer.from(ended.split('.')[0] ?? '', 'base64url').toString()).identityId;
    await expect(204, '/api/security/revocations', { json: { identity_id } });
    await expect(200, `/api/identity-admin/admin/identities/${identity_id}`, {
      method: 'PATCH',
      json: [{ op: 'replace', path: '/metadata_public', value: { seen: true } }],
    });
    for (let tries = 0; tries < 6; tries += 1) {
      const wrong = { email: operator('viewer').email, password: 'wrong' };
      await signInUpToCallback(url, baseUrl, wrong).catch(() => {});
    }
    await expect(200, '/api/health');
  } finally {
    await dashboard.close();
  }
}

const fixture = (client: string): string =>
  fileURLToPath(new URL(`../fixtures/databases/${release}.${client}.sql`, import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'dump-'));
const server = await startMariadb();
try {
  const file = join(directory, 'dashboard.sqlite');
  await use(`sqlite:${file}`);
  writeFileSync(fixture('sqlite'), execFileSync('sqlite3', [file, '.dump']));

  const url = new URL(await server.createDatabase());
  await use(url.href);
  const socket = `--socket=${url.searchParams.get('socketPath')}`;
  const connection = ['--no-defaults', socket, '--user=root', '--default-character-set=utf8mb4'];
  const args = [...connection, '--compact', '--skip-extended-insert', url.pathname.slice(1)];
  const dumped = execFileSync('mariadb-dump', args, { encoding: 'utf8' });
  writeFileSync(fixture('mysql'), dumped.replace(/^\/\*.*\n/gm, ''));
} finally {
  await server.close();
  rmSync(directory, { recursive: true });
}
