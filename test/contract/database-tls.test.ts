import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createCipher } from '../../server/crypto/cipher.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { isUnavailable } from '../../server/db/errors.ts';
import { openDatabase, PREPARE_TIMES, prepareDatabase } from '../../server/db/open-database.ts';
import { createSettingsReader } from '../../server/settings-reader/settings-reader.ts';
import { vaultOn } from '../support/audit-trail.ts';
import { certificateAuthority } from '../support/certificate.ts';
import { silentLog, TEST_KEYS } from '../support/context.ts';
import { type OwnMariadb, skipWithoutOwnMariadb, startMariadb } from '../support/databases.ts';
import { freePort } from '../support/loopback.ts';
import { folderOfSuite } from '../support/of-suite.ts';
import { SERVICE_ARGUMENTS, startNode, startServiceProcess } from '../support/processes.ts';

const PASSWORD = 'a-pässword-of-the-tests';

describe('a MariaDB server that requires TLS', () => {
  const inFolder = folderOfSuite();
  let server: OwnMariadb;
  let port: number;
  let socketPath: string | null;

  before(async function () {
    skipWithoutOwnMariadb(this);
    port = await freePort();
    const authority = certificateAuthority();
    const { cert, key } = authority.issue('localhost');
    const files = { authority: authority.cert, other: certificateAuthority().cert, cert, key };
    for (const [name, text] of Object.entries(files)) await writeFile(inFolder(name), text);
    const network = ['--skip-networking=0', '--bind-address=127.0.0.1', `--port=${port}`];
    const tls = [`--ssl-cert=${inFolder('cert')}`, `--ssl-key=${inFolder('key')}`];
    server = await startMariadb({ args: [...network, ...tls] });
    const url = await server.createDatabase();
    socketPath = new URL(url).searchParams.get('socketPath');
    const { knex, close } = openDatabase(parseDatabaseUrl(url), silentLog);
    await knex.raw('set global require_secure_transport = 1');
    await knex.raw(`create user ada@'%' identified by '${PASSWORD}'`);
    await knex.raw('create database dashboard');
    await knex.raw('grant all on dashboard.* to ada');
    await close();
  });
  after(() => server?.close());

  /** @param authority the file of the trusted certificate authority */
  function address(mode: string, authority?: 'authority' | 'other', host = 'localhost'): string {
    const url = new URL(`mysql://ada:${encodeURIComponent(PASSWORD)}@${host}:${port}/dashboard?ssl-mode=${mode}`);
    if (authority !== undefined) url.searchParams.set('ssl-ca', inFolder(authority));
    // On a socket, the name is verified but not resolved.
    if (host !== 'localhost') url.searchParams.set('socketPath', socketPath ?? '');
    return url.href;
  }
  const prepare = async (url: string): Promise<void> => {
    const parsed = parseDatabaseUrl(url);
    const database = openDatabase(parsed, silentLog);
    const times = { ...PREPARE_TIMES, awayMs: 0, everyMs: 10 };
    await prepareDatabase(database, { address: parsed, migrations: 'run', log: silentLog, times }).finally(
      database.close,
    );
  };
  const readerOf = (databaseUrl: string) =>
    createSettingsReader({ databaseUrl, encryptionKeys: [TEST_KEYS.ENCRYPTION_KEY] });

  it('accepts the service, its commands and the settings reader if they trust its certificate authority', async () => {
    const url = address('VERIFY_IDENTITY', 'authority');
    const service = await startServiceProcess({ DATABASE_URL: url });
    const database = openDatabase(parseDatabaseUrl(url), silentLog);
    const reader = readerOf(url);
    try {
      assert.equal(await service.isHealthy(), true);
      const cipher = createCipher({ current: TEST_KEYS.ENCRYPTION_KEY });
      await vaultOn(database, { cipher }).vault.put({ key: 'mail.from', value: 'ada@example.com' }, 'a test');
      assert.equal(await reader.get('mail.from'), 'ada@example.com');
      const env = { ...TEST_KEYS, DATABASE_URL: url, AUTH_URL: 'http://127.0.0.1:1', OAUTH_CLIENT_ID: 'dashboard' };
      const command = startNode([...SERVICE_ARGUMENTS, 'migrate'], env);
      assert.equal(await command.ended(), 0, command.output());
    } finally {
      await reader.close();
      await database.close();
      await service.close();
    }
  });

  for (const [mode, authority, host] of [
    ['REQUIRED', undefined, 'localhost'],
    ['VERIFY_CA', 'authority', 'localhost'],
    ['VERIFY_CA', 'authority', 'db.example'],
    ['VERIFY_CA', 'authority', '127.0.0.1'],
  ] as const)
    it(`is used over TLS with ssl-mode=${mode}, ${authority === undefined ? 'no' : 'the correct'} ssl-ca and the host ${host}`, async () => {
      const { knex, close } = openDatabase(parseDatabaseUrl(address(mode, authority, host)), silentLog);
      const [[row]] = await knex.raw("show session status like 'Ssl_cipher'");
      await close();
      assert.notEqual(row.Value, '');
    });

  const CORRECT_MODE = 'Correct ssl-mode and ssl-ca in DATABASE_URL';
  for (const [condition, mode, authority, host, action] of [
    ['without TLS', 'DISABLED', undefined, 'localhost', 'add ssl-mode if it must use TLS'],
    ['if the client trusts another certificate authority', 'VERIFY_CA', 'other', 'localhost', CORRECT_MODE],
    ['if the client trusts only Node’s own certificate authorities', 'VERIFY_CA', undefined, 'localhost', CORRECT_MODE],
    ['under a name that is not in its certificate', 'VERIFY_IDENTITY', 'authority', 'db.example', CORRECT_MODE],
  ] as const)
    it(`is not used ${condition}, with advice but no address or secret in the error`, async () => {
      const url = address(mode, authority, host);
      await assert.rejects(prepare(url), ({ name, message }: Error) => {
        assert.equal(name, 'DatabaseNotReady');
        assert.ok(message.includes(action), message);
        for (const part of ['ada', PASSWORD, encodeURIComponent(PASSWORD), host, inFolder()])
          assert.ok(!message.includes(part), message);
        return true;
      });
      const reader = readerOf(url);
      await assert.rejects(reader.get('mail.from'), isUnavailable);
      await reader.close();
    });
});
