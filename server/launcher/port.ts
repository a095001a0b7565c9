import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Refusal } from './refusal.ts';

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
