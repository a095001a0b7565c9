import type { IncomingMessage } from 'node:http';
import { ApiError } from './api-error.ts';

const closing = (message: string): ApiError =>
  new ApiError('bad_request', { message, headers: { Connection: 'close' } });

/** Probes of load balancers name no host, some in HTTP/1.0 without the header (HAProxy's `option httpchk`). */
export const isHealthProbe = ({ method, url }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && (url === '/api/health' || url?.startsWith('/api/health?') === true);

/**
 * Refuses what Node's parser accepts although other servers read it differently (RFC 9112, sections 2.3, 3.2 and 6.1):
 * no or several `Host` headers, a transfer coding other than `chunked`, a version other than 1.x.
 */
export function framingError(req: IncomingMessage): ApiError | undefined {
  let hosts = 0;
  const { rawHeaders } = req;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    // Compare lengths first, since most names are neither.
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      if ((rawHeaders[index + 1] as string).toLowerCase() !== 'chunked')
        return closing('The transfer coding is not supported.');
    }
  }
  if (req.httpVersionMajor !== 1) return closing('The HTTP version is not supported.');
  const needless = hosts === 0 && req.httpVersionMinor === 0 && isHealthProbe(req);
  return hosts === 1 || needless ? undefined : closing('The request must have one Host header.');
}
