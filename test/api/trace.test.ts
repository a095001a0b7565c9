import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { becomes } from '../support/becomes.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { type FaultingUpstream, startFaultingUpstream } from '../support/faulting-upstream.ts';
import { ask, head } from '../support/raw-client.ts';

describe('a trace', () => {
  let dashboard: Dashboard;
  let upstream: FaultingUpstream;
  before(async () => {
    upstream = await startFaultingUpstream();
    dashboard = await startDashboard({ env: { OAUTH_URL: upstream.url } });
  });
  after(async () => {
    await dashboard.close();
    await upstream.close();
  });

  it('reaches the upstream, and the baggage beside it does not', async () => {
    const headers: Record<string, string>[] = [];
    const server = createServer((req, res) => {
      headers.push(req.headers as Record<string, string>);
      res.end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    await dashboard.restart({ OAUTH_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    try {
      const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
      const lines = [`Traceparent: ${traceparent}`, 'Tracestate: vendor=1', 'Baggage: user=ada', 'BAGGAGE: secret=1'];
      const { status } = await ask(dashboard.port, head('GET /api/oauth/x', lines));
      assert.equal(status, 200);
      assert.equal(headers[0]?.['traceparent'], traceparent);
      assert.equal(headers[0]?.['tracestate'], 'vendor=1');
      assert.equal(headers[0]?.['baggage'], undefined);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('stands in the log line by its id, if it is one', async () => {
    const id = '4bf92f3577b34da6a3ce929d0e0e4736';
    const CASES: [string, string | undefined][] = [
      [`00-${id}-00f067aa0ba902b7-01`, id],
      [`00-${id}-00f067aa0ba902b7-01-"x":1`, undefined],
      ['","level":60,"x":"', undefined],
    ];
    for (const [traceparent, trace] of CASES) {
      const answer = await dashboard.call('/api/auth/session', { headers: { traceparent } });
      const requestId = answer.headers.get('x-request-id');
      await becomes(() => dashboard.logged.some((line) => line.includes(`"id":"${requestId}"`)), true);
      const line = JSON.parse(dashboard.logged.find((one) => one.includes(`"id":"${requestId}"`)) ?? '') as {
        trace?: string;
      };
      assert.equal(line.trace, trace, traceparent);
    }
  });
});
