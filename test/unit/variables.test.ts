import assert from 'node:assert/strict';
import { unreadVariables } from '../../server/config/unread-variables.ts';
import { VARIABLES } from '../../server/config/variables.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';

describe('a database address', () => {
  it('may be a file or a server', () => {
    for (const path of ['./data/x.sqlite', '/var/lib/x.sqlite', 'with space.db', 'C:\\x.db'])
      assert.deepEqual(parseDatabaseUrl(`sqlite:${path}`), { client: 'sqlite', path });
    for (const url of [
      'mysql://user:p%40ss@db.example:3307/dashboard?ssl={}',
      'mysql://root@localhost/dashboard?socketPath=%2Frun%2Fmysqld.sock',
      'mysql://[::1]/dashboard',
    ])
      assert.deepEqual(parseDatabaseUrl(url), { client: 'mysql', url });
  });

  const REFUSED: [string, RegExp][] = [
    ['', /must begin/],
    ['./data/secret.sqlite', /must begin/],
    ['postgres://secret@db/x', /must begin/],
    ['mysql:secret', /must begin/],
    ['MYSQL://secret@db/x', /must begin/],
    ['sqlite:', /names no file/],
    ['sqlite:///secret.sqlite', /without slashes/],
    ['sqlite::memory:', /not a database in memory/],
    ['sqlite:file:secret?mode=memory', /not a database in memory/],
    ['sqlite:secret/', /not a directory/],
    ['sqlite:secret\0', /NUL/],
    ['mysql://secret@host:port/x', /not a valid/],
    ['mysql:///secret', /no database host/],
    ['mysql://secret@host', /names no database/],
    ['mysql://secret@host/', /names no database/],
    ['mysql://secret@host/a/b', /one database/],
    ['mysql://secret:%zz@host/x', /broken percent.*: percent-encode user name and password/],
    ['mysql://host/secret%zz', /broken percent.*: percent-encode/],
    ...['secret/1', 'secret?1', 'secret#1', '1/secret', '1?secret', '1#secret', '@/secret', '1/%secret'].map(
      (password): [string, RegExp] => [`mysql://user:${password}@host/x`, /: percent-encode user name and password/],
    ),
    ['mysql://user:1/secret@host', /: percent-encode/],
  ];
  it('may not be anything else, which its error does not repeat', () => {
    for (const [text, message] of REFUSED)
      assert.throws(
        () => parseDatabaseUrl(text),
        (error: Error) => message.test(error.message) && !error.message.includes('secret'),
        text,
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

/** What shells, containers, clusters, CI, package managers and databases set, and what others call theirs. */
const OF_OTHERS = `
  ENV ENVIRONMENT HOME HOSTNAME HOSTS http_proxy HTTP_PROXY NO_PROXY LANG LOG LOGNAME OS PATH PATHEXT PORTS PWD
  SESSION_MANAGER SHELL USER ASPNETCORE_URLS DATABASE DATABASE_HOST DATABASE_NAME DATABASE_PORT DATABASE_USER
  DATABASE_URL_FILE DB_URL RAILS_LOG_LEVEL REDIS_URL SECRET_KEY SESSION_KEY SESSION_SECRET URL NODE_OPTIONS NODE_VERSION
  npm_config_host npm_config_loglevel npm_config_port KUBERNETES_PORT POD_NAME AUTH_PORT AUTH_SERVICE_HOST
  DATABASE_SERVICE_HOST IDENTITY_PORT IDENTITY_SERVICE_HOST OAUTH_PORT OAUTH_SERVICE_HOST DEPLOYMENT_ID DEPLOYMENT_NAME
  VERCEL_URL BUILD_URL CI_ENVIRONMENT_URL CI_JOB_URL NODE_NAME CUSTOMER_BASE_URL CUSTOMER_DATABASE_URL
  WORKFORCE_IAM_IDENTITY_URL WORKFORCE_SESSION_SIGNING_KEY`;

describe('misspelt variables', () => {
  it('are found by case, separators and a letter or two, and named with the one that is meant', () => {
    const expected = Object.entries(MISSPELT).map(([name, meant]) => [name, `is not read: is ${meant} meant?`]);
    assert.deepEqual(warningsOf(Object.keys(MISSPELT)), expected);
  });

  it('are told from what Kubernetes sets for a Service, which is named where it is one of ours', () => {
    const services = {
      METRIC_PORT: 'tcp://10.0.0.1:80',
      METRICS_PORT: 'udp://[fd00::1]:80',
      METRICS_SERVICE_PORT: '80',
    };
    const [link, ...others] = unreadVariables(services);
    assert.deepEqual([link?.variable, others], ['METRICS_PORT', []]);
    assert.match(link?.text ?? '', /^is ignored: Kubernetes /);
  });

  it('are none of the variables of others, nor our own', () => {
    const others = OF_OTHERS.trim().split(/\s+/);
    assert.deepEqual(warningsOf([...others, ...VARIABLES]), []);
  });
});
