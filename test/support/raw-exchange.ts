import { RawConnection } from './raw-client.ts';
import { BodyReader, parseHead } from './raw-message.ts';

export interface ParsedResponse {
  status: number;
  /** By name in lower case. */
  headers: Record<string, string>;
  body: string;
}

/**
 * Writes bytes on a connection of its own. @returns everything received until the server closes it or the time is over
 * @param bytes Latin-1 text, sent as it is: a client library would normalise it
 * @param isComplete ends the wait early, when everything expected has been received
 */
export async function exchangeBytes(
  port: number,
  bytes: string,
  waitMs: number,
  isComplete: (received: string) => boolean = () => false,
): Promise<string> {
  const connection = await RawConnection.open(port);
  const timer = setTimeout(() => connection.close(), waitMs);
  connection.write(bytes);
  await connection.until(() => isComplete(connection.pending)).catch(() => {});
  clearTimeout(timer);
  connection.close();
  return connection.pending;
}

/** Whether the first response is complete: for connections that remain open after it. @param toHead as for `parseResponses` */
export const isFirstResponseComplete = (received: string, toHead: boolean): boolean =>
  readResponses(received, toHead)[0]?.isComplete === true;

/** The final responses in a stream of HTTP/1.1 bytes. @param toHead the requests were HEAD requests, so there are no bodies */
export const parseResponses = (received: string, toHead: boolean): ParsedResponse[] =>
  readResponses(received, toHead).map(({ response }) => response);

function readResponses(received: string, toHead: boolean): { response: ParsedResponse; isComplete: boolean }[] {
  const responses: { response: ParsedResponse; isComplete: boolean }[] = [];
  let rest: Buffer = Buffer.from(received, 'latin1');
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0 || !rest.toString('latin1').startsWith('HTTP/1.')) return responses;
    const head = parseHead(rest.subarray(0, end));
    rest = rest.subarray(end + 4);
    const status = Number(head.line.split(' ')[1]);
    if (status < 200) continue;
    const headers: Record<string, string> = {};
    for (const [key] of head.rawHeaders) headers[key.toLowerCase()] = head.header(key).join(', ');
    const reader = new BodyReader(head, { unframed: Number.POSITIVE_INFINITY });
    const isBodiless = toHead || status === 204 || status === 304;
    if (!isBodiless) rest = reader.read(rest);
    const body = Buffer.concat(reader.chunks).toString('latin1');
    responses.push({ response: { status, headers, body }, isComplete: isBodiless || reader.isComplete });
  }
}
