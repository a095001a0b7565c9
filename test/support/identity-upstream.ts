import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PassedRequest {
  method: string;
  /** Path and query. */
  url: string;
  body: string;
}

/** An answer in the store's place; `undefined` lets the request through. */
export type StoreFault = (
  request: PassedRequest,
) => { status: number; headers?: Record<string, string>; body: string } | 'silence' | undefined;

/** In front of the sandbox's identity store: notes every request, and answers some of them otherwise. */
export interface IdentityUpstream {
  url: string;
  /** Where requests go on to, once the sandbox has started. */
  target: string;
  requests: PassedRequest[];
  fault: StoreFault | undefined;
  close(): Promise<void>;
}

export async function startIdentityUpstream(): Promise<IdentityUpstream> {
  const server = createServer((req, res) => void answer(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const upstream: IdentityUpstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: '',
    requests: [],
    fault: undefined,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const passed = { method: req.method ?? '', url: req.url ?? '', body: body.toString('utf8') };
    upstream.requests.push(passed);
    const fault = upstream.fault?.(passed);
    if (fault === 'silence') return;
    if (fault !== undefined) {
      res.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers }).end(fault.body);
      return;
    }
    const { host: _ownHost, ...headers } = req.headers;
    const onward = request(`${upstream.target}${passed.url}`, { method: passed.method, headers }, (answered) => {
      res.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(res);
    });
    onward.on('error', () => res.destroy());
    onward.end(body);
  }
  return upstream;
}
