import { connect } from 'node:net';

export interface RawResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * Writes bytes on a fresh loopback socket and returns all that comes back until the peer closes or the time is over.
 * @param bytes latin1 text; client libraries would normalise what these tests are about
 * @param isEnough ends the wait early, once what has come is all that is wanted
 */
export function rawBytes(
  port: number,
  bytes: string,
  waitMs: number,
  isEnough: (received: string) => boolean = () => false,
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    const finish = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(received);
    };
    const timer = setTimeout(finish, waitMs);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      received += chunk;
      if (isEnough(received)) finish();
    });
    socket.once('error', finish);
    socket.once('close', finish);
    socket.once('connect', () => socket.write(Buffer.from(bytes, 'latin1')));
  });
}

/** Whether one answer has come to its end: for connections that stay open after it. */
export function hasWholeResponse(received: string, toHead: boolean): boolean {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return false;
  if (toHead) return true;
  const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, end))?.[1];
  return length === undefined ? received.endsWith('\r\n0\r\n\r\n') : received.length >= end + 4 + Number(length);
}

/** The final answers in a stream of HTTP/1.1 bytes. */
export function parseResponses(received: string, toHead: boolean): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = received;
  while (rest.startsWith('HTTP/1.')) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) break;
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const colon = line.indexOf(':');
      const name = line.slice(0, colon).toLowerCase();
      const value = line.slice(colon + 1).trim();
      headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
    }
    const status = Number(statusLine.split(' ')[1]);
    rest = rest.slice(end + 4);
    if (status < 200) continue;
    const bodiless = toHead || status === 204 || status === 304;
    const { body, length } = bodiless ? { body: '', length: 0 } : bodyOf(rest, headers);
    rest = rest.slice(length);
    responses.push({ status, headers, body });
  }
  return responses;
}

function bodyOf(rest: string, headers: Record<string, string>): { body: string; length: number } {
  if (headers['transfer-encoding'] !== undefined) {
    let body = '';
    let at = 0;
    for (;;) {
      const line = rest.indexOf('\r\n', at);
      const size = line < 0 ? 0 : Number.parseInt(rest.slice(at, line), 16);
      if (!(size > 0)) return { body, length: line < 0 ? rest.length : line + 4 };
      body += rest.slice(line + 2, line + 2 + size);
      at = line + 4 + size;
    }
  }
  const length = headers['content-length'] === undefined ? rest.length : Number(headers['content-length']);
  return { body: rest.slice(0, length), length };
}
