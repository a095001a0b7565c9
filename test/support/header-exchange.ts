import assert from 'node:assert/strict';
import type { UpstreamName } from '../../shared/upstreams.ts';
import { type ProxyApp, startProxyApp } from './proxy-app.ts';
import { ask, head } from './raw-client.ts';
import { answer, type RawUpstream, startRawUpstream } from './raw-upstream.ts';
import { slowly } from './slowly.ts';

/** The proxies before an upstream that answers as it is told, for the suite in which this is called. */
export function headerExchangeOfSuite() {
  let upstream: RawUpstream;
  let app: ProxyApp;
  /** Header lines of the upstream's next answers, and its status; whether the service shuts down. */
  const reply = { status: '', headers: [] as string[], body: '', draining: false };

  before(async () => {
    upstream = await startRawUpstream(async (request, socket) => {
      await request.body;
      socket.write(answer(reply.status, reply.headers, reply.body, request.method));
    });
    app = await startProxyApp(
      {
        identity: upstream.url,
        'identity-admin': upstream.url,
        oauth: upstream.url,
        'iam-identity': `${upstream.url}/base/path/`,
      },
      {
        authorization: slowly(async (name: UpstreamName) => (name === 'oauth' ? 'Bearer stored' : undefined)),
        isDraining: () => reply.draining,
      },
    );
  });
  after(async () => {
    await app.close();
    await upstream.close();
  });
  beforeEach(() => {
    upstream.requests.length = 0;
    Object.assign(reply, { status: '200 OK', headers: [], body: 'fine', draining: false });
  });

  return {
    reply,
    get upstream() {
      return upstream;
    },
    send: (line: string, headers: string[] = [], body = '') => ask(app.port, head(line, headers) + body),
    seen: () => upstream.requests.at(-1) ?? assert.fail('the upstream saw no request'),
  };
}
