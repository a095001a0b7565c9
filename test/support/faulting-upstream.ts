import { randomUUID } from 'node:crypto';
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

/** A response in place of the upstream's; `silence` means no response. */
export type StubResponse = { status: number; headers?: Record<string, string>; body?: string } | 'silence';

/** A proxy of an upstream, which records requests, and can replace, delay or lose responses. */
export interface FaultingUpstream {
  url: string;
  /** The address of the upstream, which is set once it is known. */
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
  const initial = () =>
    ({ requests: [], before: () => undefined, after: () => undefined }) satisfies Partial<FaultingUpstream>;
  const upstream: FaultingUpstream = {
    url,
    target: '',
    ...initial(),
    reset: () => void Object.assign(upstream, initial()),
    close,
  };
  return upstream;

  async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = (await req.setEncoding('utf8').toArray()).join('');
    const { authorization } = req.headers;
    const received = { method: req.method ?? '', path: req.url ?? '', body, authorization };
    upstream.requests.push(received);
    const stub = await upstream.before(received);
    if (stub === 'silence') return;
    if (stub !== undefined) {
      res.writeHead(stub.status, { 'Content-Type': 'application/json', ...stub.headers }).end(stub.body);
      return;
    }
    const forwarded = request(`${upstream.target}${received.path}`, { method: received.method, headers: req.headers });
    forwarded.end(body);
    const [response] = (await once(forwarded, 'response')) as [IncomingMessage];
    const content = Buffer.concat(await response.toArray());
    if ((await upstream.after(received)) === 'lost') res.destroy();
    else res.writeHead(response.statusCode ?? 500, response.rawHeaders).end(content);
  }
}

/**
 * One page of a list as Kratos and Hydra return it: `page_size` items from `page_token` on, and a `Link` to the next page.
 * @param items all items, or their number and a function that makes the item at an index
 */
export function listPage(
  { path }: ReceivedRequest,
  items: readonly unknown[] | { length: number; at: (index: number) => unknown },
): StubResponse {
  const url = new URL(path, 'http://upstream');
  const size = Number(url.searchParams.get('page_size'));
  const start = Number(url.searchParams.get('page_token') ?? 0);
  const end = Math.min(start + size, items.length);
  const page = Array.from({ length: Math.max(end - start, 0) }, (_, index) => items.at(start + index));
  url.searchParams.set('page_token', String(end));
  const next = end < items.length ? `,<${url.pathname}${url.search}>; rel="next"` : '';
  return { status: 200, headers: { Link: `<${url.pathname}>; rel="first"${next}` }, body: JSON.stringify(page) };
}

/** A session as Kratos lists it, with identity and devices. */
export function sessionItem(
  index: number,
  {
    ip = '203.0.113.7',
    at = new Date(),
    identity = {},
    ...more
  }: {
    ip?: string | null;
    at?: Date;
    identity?: object;
    active?: boolean;
    expires_at?: string;
  } = {},
): Record<string, unknown> {
  const uuid = (kind: string): string => `${index.toString(16).padStart(8, '0')}-0000-4000-8000-00000000${kind}`;
  return {
    id: uuid('5e55'),
    active: true,
    expires_at: new Date(at.getTime() + 86_400_000).toISOString(),
    authenticated_at: at.toISOString(),
    authenticator_assurance_level: 'aal1',
    authentication_methods: [{ method: 'password', aal: 'aal1', completed_at: at.toISOString() }],
    issued_at: at.toISOString(),
    identity: {
      id: uuid('1de7'),
      schema_id: 'person',
      state: 'active',
      traits: { email: `p${index}@example.test` },
      ...identity,
    },
    devices: [{ id: uuid('de1c'), ip_address: ip, user_agent: 'Mozilla/5.0 (X11; Linux x86_64)', location: '' }],
    ...more,
  };
}

export const MESSAGES_PATH = '/api/identity-admin/admin/courier/messages';

/** A message as Kratos returns it. */
export interface MessageItem {
  id: string;
  status: string;
  recipient: string;
  subject: string;
  body: string;
  [member: string]: unknown;
}

export const messageItem = (members: Partial<MessageItem>): MessageItem => ({
  id: randomUUID(),
  status: 'sent',
  type: 'email',
  recipient: 'somebody@example.org',
  subject: 'Use code 123456 to recover access to your account',
  body: 'Your code: 123456',
  template_type: 'recovery_code_valid',
  channel: 'email',
  send_count: 1,
  created_at: '2026-01-31T09:00:00Z',
  updated_at: '2026-01-31T09:00:00Z',
  ...members,
});
