import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/**
 * Starts a server on 127.0.0.1.
 * @param port any free one by default
 */
export async function listenOnLoopback(
  server: Server & { closeAllConnections?: () => void },
  port = 0,
): Promise<{ port: number; url: string; close: () => Promise<void> }> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections?.();
      await closed;
    },
  };
}
