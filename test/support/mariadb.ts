import { type MariadbServer, serverAt, startMariadb } from './mariadb-server.ts';
import { findTool } from './tools.ts';

const EXTERNAL_URL = process.env['TEST_DATABASE_URL'];

/** Without a server there is nothing to test against: a failure where everything must run, a named gap elsewhere. */
export const mariadbIsMissing = (): boolean => EXTERNAL_URL === undefined && findTool('mariadb') === undefined;

/** The same for those who need a server of their own, which one elsewhere does not make up for. */
export const ownMariadbIsMissing = (): boolean =>
  findTool('mariadb') === undefined && (EXTERNAL_URL !== undefined || process.env['CI'] !== 'true');

let server: Promise<MariadbServer> | undefined;

/** One server for all tests of this process, started when the first of them needs it; it ends with the process. */
export function mariadb(): Promise<MariadbServer> {
  // Nothing here has to outlive a power cut.
  server ??=
    EXTERNAL_URL === undefined
      ? startMariadb({ args: ['--innodb-flush-log-at-trx-commit=0', '--innodb-log-file-size=16M'] })
      : Promise.resolve(serverAt(EXTERNAL_URL));
  return server;
}
