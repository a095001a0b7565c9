import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it reached the upstream. */
export interface SeenRequest {
  method: string;
  /** Path and query. */
  path: string;
  body: string;
  authorization?: string | undefined;
}

/** An answer in the upstream's place; `silence` is none at all. */
export type StubResponse = { status: number; headers?: Record<string, string>; body?: string } | 'silence';

/** Stands before an upstream: remembers what is asked, and can answer for it, delay it, or lose its answers. */
export interface FaultingUpstream {
  url: string;
  /** Where requests go; set it once the upstream has an address. */
  target: string;
  seen: SeenRequest[];
  /** Asked before a request is passed on; an answer is given in the upstream's place. */
  before: (request: SeenRequest) => StubResponse | undefined | Promise<StubResponse | undefined>;
  /** Asked once the upstream has answered; `lost` breaks the connection instead of passing the answer on. */
  after: (request: SeenRequest) => 'lost' | undefined | Promise<'lost' | undefined>;
  /** Forgets what was seen, and disturbs nothing any more. */
  calm(): void;
  close(): Promise<void>;
}

export async function startFaultingUpstream(): Promise<FaultingUpstream> {
  const server = createServer((req, res) => {
    response(req, res).catch(() => res.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const upstream: FaultingUpstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: '',
    seen: [],
    before: () => undefined,
    after: () => undefined,
    calm() {
      upstream.seen = [];
      upstream.before = () => undefined;
      upstream.after = () => undefined;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
  return upstream;

  async function response(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = (await req.setEncoding('utf8').toArray()).join('');
    const { authorization } = req.headers;
    const seen = { method: req.method ?? '', path: req.url ?? '', body, authorization };
    upstream.seen.push(seen);
    const given = await upstream.before(seen);
    if (given === 'silence') return;
    if (given !== undefined) {
      res.writeHead(given.status, { 'Content-Type': 'application/json', ...given.headers }).end(given.body);
      return;
    }
    const passed = request(`${upstream.target}${seen.path}`, { method: seen.method, headers: req.headers });
    passed.end(body);
    const [reply] = (await once(passed, 'response')) as [IncomingMessage];
    const content = Buffer.concat(await reply.toArray());
    if ((await upstream.after(seen)) === 'lost') res.destroy();
    else res.writeHead(reply.statusCode ?? 500, reply.rawHeaders).end(content);
  }
}
