import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Window } from 'happy-dom';
import type { Root } from 'react-dom/client';
import { pretendBrowser } from '../support/dom.ts';

const OPERATOR = { user: { identityId: '1', email: 'ada@example.org', role: 'admin' } };

describe('the session gate', () => {
  let server: Server;
  let window: Window;
  let asked = 0;
  let answers: { status: number; body: unknown }[];
  let root: Root;
  let left: number;
  let closeBrowser: () => Promise<void>;

  before((done) => {
    server = createServer((_, res) => {
      const { status, body } = answers[Math.min(asked, answers.length - 1)] ?? assert.fail();
      asked += 1;
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    server.listen(0, '127.0.0.1', done);
  });
  after((done) => {
    server.close(done);
    server.closeAllConnections();
  });

  beforeEach(() => {
    const { port } = server.address() as AddressInfo;
    ({ window, close: closeBrowser } = pretendBrowser(`http://127.0.0.1:${port}/settings`));
    asked = 0;
    left = 0;
  });
  afterEach(async () => {
    const { act } = await import('react');
    await act(async () => root.unmount());
    await closeBrowser();
  });

  /** Draws the gate around one line of text and waits until the page says `text`. */
  async function drawn(text: string): Promise<{ refetch: () => Promise<void> }> {
    const { act } = await import('react');
    const { createRoot } = await import('react-dom/client');
    const { QueryClientProvider } = await import('@tanstack/react-query');
    const { createQueryClient } = await import('../../client/app/query-client.ts');
    const { SessionGate } = await import('../../client/app/session-gate.tsx');
    const { sessionQuery } = await import('../../client/api/session.ts');
    const queryClient = createQueryClient();
    const holder = window.document.createElement('div');
    window.document.body.append(holder);
    root = createRoot(holder as unknown as HTMLElement);
    const leave = (): void => {
      left += 1;
    };
    await act(async () =>
      root.render(
        <QueryClientProvider client={queryClient}>
          <SessionGate leave={leave}>inside</SessionGate>
        </QueryClientProvider>,
      ),
    );
    while (!holder.textContent?.includes(text)) {
      await act(async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
      });
    }
    return {
      refetch: async () => {
        await act(async () => {
          await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => {});
          // TanStack Query notifies its observers in a later task.
          await new Promise((resolve) => setTimeout(resolve));
        });
      },
    };
  }

  it('shows the app to an operator after one request', async () => {
    answers = [{ status: 200, body: OPERATOR }];
    await drawn('inside');
    assert.deepEqual([asked, left], [1, 0]);
  });

  it('leaves for sign-in once when there is no session', async () => {
    answers = [{ status: 401, body: { error: 'Not authenticated' } }];
    await drawn('Taking you to sign-in');
    assert.deepEqual([asked, left], [1, 1]);
  });

  it('stays with a reason when the service is at fault: signing in would not help', async () => {
    answers = [{ status: 503, body: { error: 'service_unavailable', message: 'Not now.' } }];
    await drawn('Not now.');
    assert.deepEqual([asked, left], [1, 0]);
  });

  it('keeps an open page when the session turns out to have ended later', async () => {
    answers = [
      { status: 200, body: OPERATOR },
      { status: 401, body: { error: 'Not authenticated' } },
    ];
    const { refetch } = await drawn('inside');
    await refetch();
    assert.deepEqual([asked, left], [2, 0]);
    assert.ok(window.document.body.textContent?.includes('inside'));
  });
});
