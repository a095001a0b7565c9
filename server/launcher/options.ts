import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { parseArgs } from 'node:util';
import { DEPLOYMENTS } from '../../shared/upstreams.ts';
import type { Ports } from '../sandbox/deployment-settings.ts';

/** The launcher cannot start; the message is for the person who started it. */
export class Refusal extends Error {}

/** What is wrong with a port or a file, and what to do; undefined for other errors. */
export function refusalFor(error: unknown): Refusal | undefined {
  const { code = '', path, port, message } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE')
    return new Refusal(
      `Port ${port} is in use. If this deployment is running already, stop it; otherwise free the port, or choose others ` +
        'with PORT=… and --sandbox-ports ("npm start -- --help").',
    );
  if (path !== undefined && ['EACCES', 'EPERM', 'EROFS'].includes(code))
    return new Refusal(
      `${message}. This user must be able to write here; --data FOLDER chooses another folder for data.`,
    );
  if (path !== undefined && ['EEXIST', 'ENOTDIR'].includes(code))
    return new Refusal(`${message}. --data must name a folder, or one that can be created.`);
  return undefined;
}

/** Below the ports of outgoing connections (from 32,768 on Linux), any of which may be taken before the service listens. */
const [FIRST_PORT, LAST_PORT] = [10_000, 32_767];

/**
 * @param port 0 for any
 * @returns a port on which nothing listens
 * @throws if something listens on the given one
 */
export async function freePort(host: string, port: number): Promise<number> {
  const found = port === 0 ? randomInt(FIRST_PORT, LAST_PORT) : port;
  const probe = createServer().listen(found, host);
  try {
    await once(probe, 'listening');
  } catch (error) {
    if (port === 0 && (error as NodeJS.ErrnoException).code === 'EADDRINUSE') return freePort(host, port);
    throw error;
  }
  probe.close();
  await once(probe, 'close');
  return found;
}

export const USAGE = `npm start                             the dashboard with an embedded sandbox to sign in to
npm start -- --deployment workforce   the workforce deployment instead of the customer one (or DEPLOYMENT=workforce)
npm start -- --reset                  with a new sandbox: its identities, sessions and clients are created again
npm start -- --people 100000          with this many identities in a new sandbox
npm start -- --data FOLDER            keys, sandbox and database in FOLDER instead of ./data
npm start -- --sandbox-ports 4533,4534,4544,4545
                                      with the sandbox on these ports: identity service public and admin, OAuth server
                                      public and admin; 0 for any free one
npm start -- --extra-roles            with a support engineer and an auditor, who may sign in as well
npm start -- --redact-messages        with a sandbox that redacts message bodies, as a service in production does
npm start -- --no-build               with the last build of the app

The environment variable PORT is the dashboard's own port: 3000, or 4000 for workforce.
With AUTH_URL or AUTH_ISSUER set, no sandbox is started: the environment names the real services (see docs/configure.md).
`;

export type StartOptions = ReturnType<typeof startOptions>;

/** Parses the arguments of `npm start -- …`. @throws an error whose message names the invalid one */
export function startOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      deployment: { type: 'string' },
      reset: { type: 'boolean', default: false },
      people: { type: 'string' },
      data: { type: 'string', default: 'data' },
      'sandbox-ports': { type: 'string' },
      'extra-roles': { type: 'boolean', default: false },
      'redact-messages': { type: 'boolean', default: false },
      'no-build': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { deployment, people, 'sandbox-ports': ports, 'redact-messages': redactMessages, 'no-build': noBuild } = values;
  if (deployment !== undefined && !DEPLOYMENTS.some((name) => name === deployment))
    throw new Error(`--deployment must be one of ${DEPLOYMENTS.join(', ')}`);
  if (people !== undefined && !/^\d{1,7}$/.test(people))
    throw new Error('--people must be a whole number up to 9999999');
  return {
    deployment,
    reset: values.reset,
    data: values.data,
    redactMessages,
    extraRoles: values['extra-roles'],
    build: !noBuild,
    help: values.help,
    people: people === undefined ? undefined : Number(people),
    ports: ports === undefined ? undefined : portsOf(ports),
  };
}

function portsOf(text: string): Ports {
  const ports = /^\d{1,5}(?:,\d{1,5}){3}$/.test(text) ? text.split(',').map(Number) : [];
  const [identityPublic, identityAdmin, oauthPublic, oauthAdmin] = ports;
  if (oauthAdmin === undefined || ports.some((port) => port > 65_535))
    throw new Error('--sandbox-ports must be four ports, separated by commas');
  return { identityPublic, identityAdmin, oauthPublic, oauthAdmin } as Ports;
}
