import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IdentityPage } from '../../shared/identities.ts';
import { type Dashboard, startDashboard } from './dashboard.ts';

export const NEXT = '00000000-0000-4000-8000-000000000001';
export const identity = (index: number) => ({
  id: `id-${index}`,
  schema_id: 'customer',
  schema_url: 'http://store.internal:4433/schemas/x',
  state: 'active',
  traits: { email: `person-${index}@example.com` },
  credentials: { password: { config: { hashed_password: 'hash' } } },
  metadata_admin: { note: 'internal' },
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-02T00:00:00Z',
});

export type Answer = (req: IncomingMessage, res: ServerResponse) => void;
export const page =
  (body: unknown, headers: Record<string, string> = {}, status = 200): Answer =>
  (_req, res) =>
    void res.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
export const link = (token: string, base = ''): Record<string, string> => ({
  Link: `<${base}/admin/identities?page_size=1&page_token=x>; rel="first",<${base}/admin/identities?page_size=1&page_token=${token}>; rel="next"`,
});

/** A dashboard before an identity store that answers as it is told, for the suite in which this is called. */
export function identityListingOfSuite() {
  let server: Server;
  let dashboard: Dashboard;
  let session: string;
  const store = {
    answer: page([]),
    /** What the store was asked. */
    seen: [] as string[],
    clockOffset: 0,
    get dashboard() {
      return dashboard;
    },
    get session() {
      return session;
    },
    async ask(query: string): Promise<{ status: number; body: IdentityPage & { error?: string }; text: string }> {
      const response = await dashboard.call(`/api/identities${query}`, { session });
      const text = await response.text();
      return { status: response.status, body: JSON.parse(text) as IdentityPage & { error?: string }, text };
    },
  };

  before(async () => {
    server = createServer((req, res) => {
      store.seen.push(`${req.url} ${req.headers.authorization ?? ''}`.trim());
      store.answer(req, res);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    dashboard = await startDashboard({
      storeFromSandbox: true,
      env: { IDENTITY_ADMIN_URL: address, PROXY_TIMEOUT_MS: '1000' },
      now: () => Date.now() + store.clockOffset,
      monotonic: () => performance.now() + store.clockOffset,
    });
    session = await dashboard.signIn('admin');
  });
  after(async () => {
    await dashboard.close();
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    store.seen = [];
    store.answer = page([identity(1)]);
  });
  return store;
}
