import assert from 'node:assert/strict';
import { misspeltVariables } from '../../server/config/misspelt-variables.ts';
import { VARIABLES } from '../../server/config/variables.ts';

const warningsOf = (names: readonly string[]): [string, string][] =>
  misspeltVariables(Object.fromEntries(names.map((name) => [name, 'a-secret-value']))).map(({ variable, text }) => [
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

/** What shells, desktops, containers, clusters, CI, package managers and databases set, and what others call theirs. */
const OF_OTHERS = `
  _ ANDROID_HOME APP_ENV BASH_ENV BASH_VERSION COLORTERM COLUMNS CONFIG DBUS_SESSION_BUS_ADDRESS DEBUG DEBIAN_FRONTEND
  DISPLAY DOMAIN EDITOR ENV ENVIRONMENT EUID FORCE_COLOR GPG_TTY GROUPS HISTFILE HOME HOSTNAME HOSTTYPE HOSTS
  http_proxy HTTP_PROXY https_proxy HTTPS_PROXY no_proxy NO_PROXY ALL_PROXY INIT_CWD INVOCATION_ID JOURNAL_STREAM LANG
  LANGUAGE LC_ALL LC_CTYPE LESS LESSOPEN LINES LISTEN_FDS LISTEN_PID LOGNAME LOG LS_COLORS MACHTYPE MAIL MANPATH
  NOTIFY_SOCKET OLDPWD OS OSTYPE PAGER PATH PATHEXT PORTS PPID PROMPT PS1 PWD SESSION_MANAGER SHELL SHLVL SSH_AUTH_SOCK
  SSH_CLIENT SSH_CONNECTION SSH_TTY STATE_DIRECTORY SUDO_USER TEMP TERM TERM_PROGRAM TMPDIR TMUX TZ UID USER USERDOMAIN
  VIRTUAL_ENV VISUAL WATCHDOG_USEC WSL_DISTRO_NAME XAUTHORITY XDG_RUNTIME_DIR XDG_SESSION_ID XDG_SESSION_TYPE
  ASPNETCORE_URLS DATABASE DATABASE_HOST DATABASE_NAME DATABASE_PASSWORD DATABASE_PORT DATABASE_USER DATABASE_URL_FILE
  DB_URL DYNO GOPATH JAVA_HOME LD_PRELOAD MARIADB_DATABASE MARIADB_USER MYSQL_DATABASE MYSQL_HOST MYSQL_ROOT_PASSWORD
  PGHOST PGPORT PYTHONPATH RACK_ENV RAILS_ENV RAILS_LOG_LEVEL REDIS_URL RUST_LOG SECRET_KEY SENTRY_DSN SESSION_KEY
  SESSION_SECRET SSL_CERT_FILE URL VCAP_SERVICES WEB_CONCURRENCY WEBSITE_HOSTNAME
  NODE NODE_EXTRA_CA_CERTS NODE_NO_WARNINGS NODE_OPTIONS NODE_PATH NODE_VERSION NPM_TOKEN NVM_DIR UV_THREADPOOL_SIZE
  YARN_VERSION npm_command npm_config_cache npm_config_global_prefix npm_config_host npm_config_loglevel npm_config_port
  npm_config_userconfig npm_config_user_agent npm_execpath npm_lifecycle_event npm_node_execpath npm_package_json
  npm_package_name npm_package_version
  KUBERNETES_PORT KUBERNETES_PORT_443_TCP KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT POD_IP POD_NAME
  POD_NAMESPACE AUTH_PORT AUTH_SERVICE_HOST AUTH_SERVICE_PORT DATABASE_PORT_3306_TCP DATABASE_SERVICE_HOST
  IDENTITY_PORT IDENTITY_SERVICE_HOST OAUTH_PORT OAUTH_PORT_4444_TCP OAUTH_SERVICE_HOST DEPLOYMENT_ID DEPLOYMENT_NAME
  AWS_REGION AWS_EXECUTION_ENV ECS_CONTAINER_METADATA_URI FLY_APP_NAME GAE_ENV GOOGLE_CLOUD_PROJECT K_SERVICE
  RAILWAY_ENVIRONMENT RENDER VERCEL_ENV VERCEL_URL VERCEL_DEPLOYMENT_ID
  BUILD_ID BUILD_NUMBER BUILD_URL CI CI_COMMIT_SHA CI_ENVIRONMENT_URL CI_JOB_URL CI_PIPELINE_URL CI_PROJECT_URL CIRCLECI
  GITHUB_ACTIONS GITHUB_API_URL GITHUB_BASE_REF GITHUB_ENV GITHUB_SERVER_URL GITLAB_CI JENKINS_URL JOB_URL NODE_NAME
  RUNNER_OS RUNNER_TEMP TRAVIS
  CUSTOMER_BASE_URL CUSTOMER_DATABASE_URL WORKFORCE_IAM_IDENTITY_URL WORKFORCE_SESSION_SIGNING_KEY`;

describe('misspelt variables', () => {
  it('are found by case, separators and a letter or two, and named with the one that is meant', () => {
    const expected = Object.entries(MISSPELT).map(([name, meant]) => [name, `is not read: is ${meant} meant?`]);
    assert.deepEqual(warningsOf(Object.keys(MISSPELT)), expected);
  });

  it('are found for every long variable that lacks its last letter', () => {
    const long = VARIABLES.filter((name) => name.length > 7).map((name) => name.slice(0, -1));
    assert.deepEqual(
      warningsOf(long).map(([name]) => name),
      long,
    );
  });

  it('are none of the variables of others, nor our own', () => {
    const others = OF_OTHERS.trim().split(/\s+/);
    assert.ok(others.length > 200);
    assert.deepEqual(warningsOf([...others, ...VARIABLES]), []);
  });

  it('count as unset when they are empty', () => {
    assert.deepEqual(misspeltVariables({ DATABASE_URI: ' ' }), []);
  });
});
