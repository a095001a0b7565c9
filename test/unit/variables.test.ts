import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unreadVariables, VARIABLES } from '../../server/config/variables.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { selfSigned } from '../support/certificate.ts';
import { newFolder } from '../support/of-suite.ts';

describe('DATABASE_URL', () => {
  const { cert } = selfSigned('db.example');
  const folder = newFolder();
  const [file, empty] = ['ca.pem', 'secret.pem'].map((name) => join(folder.path, name)) as [string, string];
  writeFileSync(file, cert);
  writeFileSync(empty, '');
  after(folder.close);

  it('can name a SQLite file or a MySQL server', () => {
    for (const path of ['./data/x.sqlite', '/var/lib/x.sqlite', 'with space.db', 'C:\\x.db'])
      assert.deepEqual(parseDatabaseUrl(`sqlite:${path}`), { client: 'sqlite', path });
    const server = { host: 'db.example', port: 3306, user: '', password: '', database: 'dashboard' };
    for (const [url, expected] of [
      [
        'mysql://us%20er:p%40ss@db.example:3307/dash%2Dboard',
        { port: 3307, user: 'us er', password: 'p@ss', database: 'dash-board' },
      ],
      ['mysql://[::1]/dashboard', { host: '::1' }],
      ['mysql://db.example/dashboard?socketPath=%2Frun%2Fmysqld.sock', { socketPath: '/run/mysqld.sock' }],
      ['mysql://db.example/dashboard?ssl-mode=DISABLED', {}],
      ['mysql://db.example/dashboard?ssl-mode=REQUIRED', { ssl: { rejectUnauthorized: false } }],
      ['mysql://10.0.0.1/dashboard?ssl-mode=VERIFY_CA', { host: '10.0.0.1', ssl: { rejectUnauthorized: true } }],
      [
        `mysql://db.example/dashboard?ssl-ca=${file}&ssl-mode=VERIFY_IDENTITY`,
        { ssl: { rejectUnauthorized: true, verifyIdentity: true, ca: cert } },
      ],
    ] as const)
      assert.deepEqual(parseDatabaseUrl(url), { client: 'mysql', server: { ...server, ...expected } });
  });

  const INVALID: [url: string, message: RegExp][] = [
    ['', /must begin/],
    ['./data/secret.sqlite', /must begin/],
    ['postgres://secret@db/x', /must begin/],
    ['mysql:secret', /must begin/],
    ['MYSQL://secret@db/x', /must begin/],
    ['sqlite:', /has no path/],
    ['sqlite:///secret.sqlite', /must not have \/\//],
    ['sqlite::memory:', /not an in-memory database/],
    ['sqlite:file:secret?mode=memory', /not an in-memory database/],
    ['sqlite:secret/', /not a directory/],
    ['sqlite:secret\0', /NUL/],
    ['mysql://secret@host:port/x', /not a valid/],
    ['mysql:///secret', /no database host/],
    ['mysql://secret@host', /has no database name/],
    ['mysql://secret@host/', /has no database name/],
    ['mysql://secret@host/a/b', /name of one database/],
    ['mysql://secret:%zz@host/x', /broken percent.*: percent-encode the user name and password/],
    ['mysql://host/secret%zz', /broken percent.*: percent-encode/],
    ...['secret/1', 'secret?1', 'secret#1', '1/secret', '1?secret', '1#secret', '@/secret', '1/%secret'].map(
      (password): [string, RegExp] => [
        `mysql://user:${password}@host/x`,
        /: percent-encode the user name and password/,
      ],
    ),
    ['mysql://user:1/secret@host', /: percent-encode/],
    ['mysql://u:1/x?secret=1@host/x', /parameter that is not supported: percent-encode/],
    [
      'mysql://h/x?sslmode=secret',
      /^has the parameter sslmode, which is not supported \(supported: ssl-mode, ssl-ca, socketPath/,
    ],
    ['mysql://h/x?ssl=true', /parameter ssl, which is not supported/],
    ['mysql://h/x?rowsAsArray=true', /parameter rowsAsArray, /],
    ['mysql://h/x?se%0Acret=1', /^has a parameter that is not supported/],
    ['mysql://h/x#secret', /must not contain #/],
    ['mysql://h/x?ssl-mode=required', /ssl-mode must be one of DISABLED, REQUIRED, VERIFY_CA, VERIFY_IDENTITY/],
    ['mysql://h/x?ssl-mode=REQUIRED&ssl-mode=DISABLED', /ssl-mode more than once/],
    [`mysql://h/x?ssl-ca=${file}`, /ssl-ca needs ssl-mode=VERIFY_CA or VERIFY_IDENTITY/],
    [`mysql://h/x?ssl-mode=REQUIRED&ssl-ca=${file}`, /ssl-ca needs/],
    ['mysql://h/x?ssl-mode=VERIFY_CA&ssl-ca=/secret', /ssl-ca names a file that cannot be read: ENOENT/],
    [`mysql://h/x?ssl-mode=VERIFY_CA&ssl-ca=${empty}`, /ssl-ca names a file without a certificate/],
    ['mysql://10.0.0.1/x?ssl-mode=VERIFY_IDENTITY', /VERIFY_IDENTITY needs the name of the server/],
    ['mysql://h/x?socketPath=secret', /socketPath must be an absolute path/],
  ];
  it('is rejected if it is anything else, with a message that states the reason and repeats no secret', () => {
    for (const [url, message] of INVALID)
      assert.throws(
        () => parseDatabaseUrl(url),
        (error: Error) => message.test(error.message) && !error.message.includes('secret'),
        url,
      );
  });
});

const warningsOf = (names: readonly string[]): [string, string][] =>
  unreadVariables(Object.fromEntries(names.map((name) => [name, 'a-secret-value']))).map(({ variable, text }) => [
    variable,
    text,
  ]);

const MISSPELT: Record<string, string> = {
  DATABASE_URI: 'DATABASE_URL',
  DATABSE_URL: 'DATABASE_URL',
  DATABASEURL: 'DATABASE_URL',
  database_url: 'DATABASE_URL',
  SESSION_SIGNINGKEY: 'SESSION_SIGNING_KEY',
  SESION_SIGNING_KEY_PREVIUOS: 'SESSION_SIGNING_KEY_PREVIOUS',
  ENCRYPTION_KEYS: 'ENCRYPTION_KEY',
  ALLOWED_NETWORK: 'ALLOWED_NETWORKS',
  ALLOWED_HOST: 'ALLOWED_HOSTS',
  'ALLOWED-HOSTS': 'ALLOWED_HOSTS',
  Auth_Url: 'AUTH_URL',
  AUTH_URI: 'AUTH_URL',
  AUHT_URL: 'AUTH_URL',
  AUTH_CLIENT_ID: 'OAUTH_CLIENT_ID',
  IAM_IDENTITY_ADMIN_URI: 'IAM_IDENTITY_ADMIN_URL',
  LOGLEVEL: 'LOG_LEVEL',
  port: 'PORT',
};

/** Variables of shells, containers, clusters, CI, package managers and databases, and of other programs. */
const FOREIGN = `
  ENV ENVIRONMENT HOME HOSTNAME HOSTS http_proxy HTTP_PROXY NO_PROXY LANG LOG LOGNAME OS PATH PATHEXT PORTS PWD
  SESSION_MANAGER SHELL USER ASPNETCORE_URLS DATABASE DATABASE_HOST DATABASE_NAME DATABASE_PORT DATABASE_USER
  DATABASE_URL_FILE DB_URL RAILS_LOG_LEVEL REDIS_URL SECRET_KEY SESSION_KEY SESSION_SECRET URL NODE_OPTIONS NODE_VERSION
  npm_config_host npm_config_loglevel npm_config_port KUBERNETES_PORT POD_NAME AUTH_PORT AUTH_SERVICE_HOST
  DATABASE_SERVICE_HOST IDENTITY_PORT IDENTITY_SERVICE_HOST OAUTH_PORT OAUTH_SERVICE_HOST DEPLOYMENT_ID DEPLOYMENT_NAME
  VERCEL_URL BUILD_URL CI_ENVIRONMENT_URL CI_JOB_URL NODE_NAME CUSTOMER_BASE_URL CUSTOMER_DATABASE_URL
  WORKFORCE_IAM_IDENTITY_URL WORKFORCE_SESSION_SIGNING_KEY`;

describe('the warnings about unread variables', () => {
  it('suggest the variable whose name differs only in case, separators or one or two letters', () => {
    const expected = Object.entries(MISSPELT).map(([name, meant]) => [name, `is not read: did you mean ${meant}?`]);
    assert.deepEqual(warningsOf(Object.keys(MISSPELT)), expected);
  });

  it('name a variable that Kubernetes sets for a Service only if the dashboard reads one of that name', () => {
    const [collision, ...others] = unreadVariables({
      METRIC_PORT: 'tcp://10.0.0.1:80',
      METRICS_PORT: 'udp://[fd00::1]:80',
      METRICS_SERVICE_PORT: '80',
    });
    assert.deepEqual([collision?.variable, others], ['METRICS_PORT', []]);
    assert.match(collision?.text ?? '', /^is ignored: Kubernetes /);
  });

  it('name neither variables of other programs nor those that the dashboard reads', () => {
    assert.deepEqual(warningsOf([...FOREIGN.trim().split(/\s+/), ...VARIABLES]), []);
  });
});
