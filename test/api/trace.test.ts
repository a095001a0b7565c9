import assert from 'node:assert/strict';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { head, sendRaw } from '../support/raw-client.ts';
import { echo, type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';

describe('a trace', () => {
  let dashboard: Dashboard;
  let upstream: RawUpstream;
  before(async () => {
    upstream = await startRawUpstream(echo);
    dashboard = await startDashboard({ env: { OAUTH_URL: upstream.url } });
  });
  after(async () => {
    await dashboard.close();
    await upstream.close();
  });

  it('reaches the upstream, and the baggage beside it does not', async () => {
    const lines = ['Traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'Tracestate: vendor=1'];
    const { status } = await sendRaw(
      dashboard.port,
      head('GET /api/oauth/x', [...lines, 'Baggage: user=ada', 'BAGGAGE: secret=1']),
    );
    assert.equal(status, 200);
    const sent = ['Traceparent', 'Tracestate', 'Baggage'].flatMap((name) =>
      (upstream.requests[0]?.header(name) ?? []).map((value) => `${name}: ${value}`),
    );
    assert.deepEqual(sent, lines);
  });

  it('stands in the log line by its id, if it is one', async () => {
    const id = '4bf92f3577b34da6a3ce929d0e0e4736';
    const CASES: [string, string | undefined][] = [
      [`00-${id}-00f067aa0ba902b7-01`, id],
      [`00-${id}-00f067aa0ba902b7-01-"x":1`, undefined],
      ['","level":60,"x":"', undefined],
    ];
    for (const [traceparent, trace] of CASES) {
      const response = await dashboard.call('/api/auth/session', { headers: { traceparent } });
      const requestId = response.headers.get('x-request-id');
      await eventually(() => dashboard.logged.some((line) => line.includes(`"id":"${requestId}"`)), true);
      const line = JSON.parse(dashboard.logged.find((one) => one.includes(`"id":"${requestId}"`)) ?? '') as {
        trace?: string;
      };
      assert.equal(line.trace, trace, traceparent);
    }
  });
});
