import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  form: URLSearchParams;
}

export type Answer = (request: SeenRequest, res: ServerResponse) => void;

/** An OAuth 2.0 server and identity store whose answers a test sets: what a well-behaved one never says. */
export interface FakeProvider {
  url: string;
  seen: SeenRequest[];
  token: Answer;
  userinfo: Answer;
  identity: Answer;
  /** Well-behaved again, and nothing seen. */
  reset(): void;
  close(): Promise<void>;
}

export const json =
  (body: unknown, status = 200): Answer =>
  (_request, res) =>
    void res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

export const OPERATOR_ID = '9f425a8d-7efc-4768-8f23-7647a74fdf13';

export const activeOperator = (traits: Record<string, unknown> = { email: 'ada@example.com', role: 'admin' }) => ({
  id: OPERATOR_ID,
  schema_id: 'operator',
  state: 'active',
  traits,
});

export async function startFakeProvider(): Promise<FakeProvider> {
  const server: Server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const path = (req.url ?? '').split('?', 1)[0] ?? '';
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      const request = { method: req.method ?? '', path, headers: req.headers, form };
      provider.seen.push(request);
      if (path === '/oauth2/token') provider.token(request, res);
      else if (path.endsWith('/userinfo')) provider.userinfo(request, res);
      else provider.identity(request, res);
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const wellBehaved = () => ({
    seen: [],
    token: json({ access_token: 'token-of-the-test', token_type: 'bearer', expires_in: 3600 }),
    userinfo: json({ sub: OPERATOR_ID, email: 'ada@example.com' }),
    identity: json(activeOperator()),
  });
  const provider: FakeProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...wellBehaved(),
    reset: () => void Object.assign(provider, wellBehaved()),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}
