import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { parseArgs } from 'node:util';
import { DEPLOYMENTS, type Deployment } from '../../shared/upstreams.ts';
import type { Ports } from '../sandbox/deployment-settings.ts';

/** The launcher cannot start; the message is printed on the terminal. */
export class Refusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Refusal';
  }
}

/** The message for a file that this user cannot write; undefined for other errors. */
export function notWritable(error: unknown): Refusal | undefined {
  const { code = '', path, message } = error as NodeJS.ErrnoException;
  if (path === undefined || !['EACCES', 'EPERM', 'EROFS'].includes(code)) return undefined;
  return new Refusal(
    `${message}. This user must be able to write here; --data FOLDER chooses another folder for data.`,
  );
}

/**
 * @param port 0 for any
 * @returns a port on which nothing listens
 * @throws Refusal if the given port is in use
 */
export async function freePort(host: string, port: number): Promise<number> {
  const probe = createServer();
  try {
    probe.listen(port, host);
    await once(probe, 'listening');
  } catch (error) {
    throw portTaken(error) ?? error;
  }
  const found = (probe.address() as AddressInfo).port;
  probe.close();
  await once(probe, 'close');
  return found;
}

/** The message for an `EADDRINUSE` of any listener; undefined for other errors. */
export function portTaken(error: unknown): Refusal | undefined {
  const { code, port } = error as { code?: string; port?: number };
  if (code !== 'EADDRINUSE') return undefined;
  return new Refusal(
    `Port ${port} is in use. If this deployment is running already, stop it; otherwise free the port, or choose others ` +
      'with PORT=… and --sandbox-ports ("npm start -- --help").',
  );
}

export const USAGE = `npm start                             the dashboard with an embedded sandbox to sign in to
npm start -- --deployment workforce   the workforce deployment instead of the customer one (or DEPLOYMENT=workforce)
npm start -- --reset                  with a new sandbox: its identities, sessions and clients are created again
npm start -- --people 100000          with this many identities in a new sandbox
npm start -- --data FOLDER            keys, sandbox and database in FOLDER instead of ./data
npm start -- --sandbox-ports 4533,4534,4544,4545
                                      with the sandbox on these ports: identity service public and admin, OAuth server
                                      public and admin; 0 for any free one
npm start -- --redact-messages        with a sandbox that redacts message bodies, as a service in production does
npm start -- --requests               on a terminal: with a line for each request
npm start -- --no-build               with the last build of the app

With AUTH_URL set, no sandbox is started: the environment names the real services (see docs/operations.md).
`;

export interface StartOptions {
  /** Undefined: from DEPLOYMENT. */
  deployment: Deployment | undefined;
  reset: boolean;
  people: number | undefined;
  data: string;
  sandboxPorts: Ports | undefined;
  redactMessages: boolean;
  requests: boolean;
  build: boolean;
  help: boolean;
}

/** Parses the arguments of `npm start -- …`. @throws an error whose message names the invalid one */
export function startOptions(args: readonly string[]): StartOptions {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    allowPositionals: false,
    options: {
      deployment: { type: 'string' },
      reset: { type: 'boolean', default: false },
      people: { type: 'string' },
      data: { type: 'string', default: 'data' },
      'sandbox-ports': { type: 'string' },
      'redact-messages': { type: 'boolean', default: false },
      requests: { type: 'boolean', default: false },
      'no-build': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { deployment, people, 'sandbox-ports': ports } = values;
  const known = DEPLOYMENTS.find((name) => name === deployment);
  if (deployment !== undefined && known === undefined)
    throw new Error(`--deployment must be one of ${DEPLOYMENTS.join(', ')}`);
  if (people !== undefined && !/^\d{1,7}$/.test(people))
    throw new Error('--people must be a whole number up to 9999999');
  return {
    deployment: known,
    reset: values.reset,
    people: people === undefined ? undefined : Number(people),
    data: values.data,
    sandboxPorts: ports === undefined ? undefined : portsOf(ports),
    redactMessages: values['redact-messages'],
    requests: values.requests,
    build: !values['no-build'],
    help: values.help,
  };
}

function portsOf(text: string): Ports {
  const ports = /^\d{1,5}(?:,\d{1,5}){3}$/.test(text) ? text.split(',').map(Number) : [];
  const [identityPublic, identityAdmin, oauthPublic, oauthAdmin] = ports;
  if (oauthAdmin === undefined || ports.some((port) => port > 65_535))
    throw new Error('--sandbox-ports must be four ports, separated by commas');
  return { identityPublic, identityAdmin, oauthPublic, oauthAdmin } as Ports;
}
