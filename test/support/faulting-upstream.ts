import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { listenOnLoopback } from './loopback.ts';

/** A request as it reached the upstream. */
export interface ReceivedRequest {
  method: string;
  /** Path and query. */
  path: string;
  body: string;
  authorization?: string | undefined;
}

/** A response in place of the upstream's; `silence` is none at all. */
export type StubResponse = { status: number; headers?: Record<string, string>; body?: string } | 'silence';

/** Stands before an upstream: records requests, and can replace, delay or lose responses. */
export interface FaultingUpstream {
  url: string;
  /** The address of the upstream; set when it is known. */
  target: string;
  requests: ReceivedRequest[];
  /** Called before a request is passed on. @returns a response in place of the upstream's */
  before: (request: ReceivedRequest) => StubResponse | undefined | Promise<StubResponse | undefined>;
  /** Called when the upstream has responded. @returns `lost` to close the connection without a response */
  after: (request: ReceivedRequest) => 'lost' | undefined | Promise<'lost' | undefined>;
  /** Removes recorded requests and faults. */
  reset(): void;
  close(): Promise<void>;
}

export async function startFaultingUpstream(): Promise<FaultingUpstream> {
  const server = createServer((req, res) => {
    respond(req, res).catch(() => res.destroy());
  });
  const { url, close } = await listenOnLoopback(server);
  const calm = () =>
    ({ requests: [], before: () => undefined, after: () => undefined }) satisfies Partial<FaultingUpstream>;
  const upstream: FaultingUpstream = {
    url,
    target: '',
    ...calm(),
    reset: () => void Object.assign(upstream, calm()),
    close,
  };
  return upstream;

  async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = (await req.setEncoding('utf8').toArray()).join('');
    const { authorization } = req.headers;
    const seen = { method: req.method ?? '', path: req.url ?? '', body, authorization };
    upstream.requests.push(seen);
    const stub = await upstream.before(seen);
    if (stub === 'silence') return;
    if (stub !== undefined) {
      res.writeHead(stub.status, { 'Content-Type': 'application/json', ...stub.headers }).end(stub.body);
      return;
    }
    const forwarded = request(`${upstream.target}${seen.path}`, { method: seen.method, headers: req.headers });
    forwarded.end(body);
    const [response] = (await once(forwarded, 'response')) as [IncomingMessage];
    const content = Buffer.concat(await response.toArray());
    if ((await upstream.after(seen)) === 'lost') res.destroy();
    else res.writeHead(response.statusCode ?? 500, response.rawHeaders).end(content);
  }
}
