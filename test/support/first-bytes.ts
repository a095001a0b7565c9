import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** The first byte of every TLS connection (RFC 8446, section 5.1). */
export const TLS_HANDSHAKE = 22;

/** A port whose connections are closed once they have sent something. */
export interface FirstBytes {
  port: number;
  /** What each connection sent first. */
  arrived: Buffer[];
  close(): void;
}

export async function startFirstBytes(): Promise<FirstBytes> {
  const arrived: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (bytes: Buffer) => {
      arrived.push(bytes);
      socket.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, arrived, close: () => void server.close() };
}
