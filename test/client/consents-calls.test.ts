import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { QueryClient } from '@tanstack/react-query';
import { consentsQuery } from '../../client/api/consents.ts';
import { revokeConsents } from '../../client/api/consents-end.ts';
import { signOutSteps } from '../../client/features/identities/detail/sign-out-steps.ts';
import { pretendBrowser } from '../support/dom.ts';

interface Given {
  status: number;
  body?: unknown;
}

const CONSENTS = '/api/oauth-admin/admin/oauth2/auth/sessions/consent';
const ID = '9f425a8d-7efc-4768-8f23-7647a74fdf13';

describe('calls that end what somebody granted', () => {
  let server: Server;
  let close: () => Promise<void>;
  /** Method, path and query. */
  let asked: string[];
  let answer: (method: string, url: URL) => Given | Promise<Given>;
  /** What the OAuth server holds, by id and client. */
  let held: [id: string, client: string][];
  const queryClient = (): QueryClient => new QueryClient();

  before((done) => {
    server = createServer(async (req, res) => {
      const url = new URL(req.url ?? '', 'http://localhost');
      asked.push(`${req.method} ${req.url}`);
      const { status, body } = await answer(req.method ?? '', url);
      res.writeHead(status, { 'content-type': 'application/json' });
      res.end(body === undefined ? undefined : JSON.stringify(body));
    });
    server.listen(0, '127.0.0.1', () => {
      ({ close } = pretendBrowser(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
      done();
    });
  });
  after(async () => {
    await close();
    server.closeAllConnections();
    server.close();
  });
  const listed = (): Given => ({
    status: 200,
    body: held.map(([consent_request_id, client_id]) => ({
      consent_request_id,
      consent_request: { client: { client_id } },
    })),
  });
  beforeEach(() => {
    asked = [];
    held = [
      ['one', 'app'],
      ['two', 'app'],
      ['three', 'other'],
    ];
    answer = (method, { searchParams }) => {
      if (method === 'GET') return listed();
      const [id, client] = [searchParams.get('consent_request_id'), searchParams.get('client')];
      held = held.filter((consent) => (id === null ? client !== null && consent[1] !== client : consent[0] !== id));
      return { status: 204 };
    };
  });
  const written = (): string[] => asked.filter((line) => !line.startsWith('GET'));

  it('name a single consent, those to a client, or all of a subject, and count what there was', async () => {
    assert.equal(await revokeConsents(queryClient(), 'a&b', { id: 'o/ne' }), 0, 'gone already');
    assert.equal(await revokeConsents(queryClient(), 'a&b', { id: 'one' }), 1);
    assert.equal(await revokeConsents(queryClient(), 'a&b', { clientId: 'app' }), 1);
    held.push(['four', 'app']);
    assert.equal(await revokeConsents(queryClient(), 'a&b', 'all'), 2);
    assert.deepEqual(written(), [
      `DELETE ${CONSENTS}?consent_request_id=o%2Fne`,
      `DELETE ${CONSENTS}?consent_request_id=one`,
      `DELETE ${CONSENTS}?subject=a%26b&client=app`,
      `DELETE ${CONSENTS}?subject=a%26b&all=true`,
    ]);
    assert.ok(asked.filter((line) => line.startsWith('GET')).every((line) => line.includes('subject=a%26b&')));
  });

  it('do not believe a success that left everything as it was', async () => {
    answer = (method) => (method === 'GET' ? listed() : { status: 204 });
    await assert.rejects(revokeConsents(queryClient(), 's', { clientId: 'app' }), /2 consents are still there/);
    await assert.rejects(revokeConsents(queryClient(), 's', { id: 'three' }), /1 consent is still there/);
  });

  it('treat consents granted again in the meantime as new', async () => {
    answer = (method) => {
      if (method === 'GET') return listed();
      held = [['four', 'app']];
      return { status: 204 };
    };
    assert.equal(await revokeConsents(queryClient(), 's', 'all'), 3);
  });

  it('are made even if the list could not be read before; then nothing may be left', async () => {
    let looks = 0;
    const blindOnce = answer;
    answer = (method, url) => {
      if (method === 'GET') looks += 1;
      return method === 'GET' && looks === 1 ? { status: 500, body: { error: 'x' } } : blindOnce(method, url);
    };
    assert.equal(await revokeConsents(queryClient(), 's', 'all'), undefined);
    assert.deepEqual(held, []);
    held = [['five', 'app']];
    looks = 0;
    answer = (method) => {
      if (method === 'GET') looks += 1;
      return method === 'GET' && looks === 1 ? { status: 500, body: { error: 'x' } } : listed();
    };
    await assert.rejects(revokeConsents(queryClient(), 's', 'all'), /1 consent is still there/);
  });

  it('read the list again afterwards, even if an earlier read is still in flight', async () => {
    const client = queryClient();
    let asked = (): void => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    let isEarlier = false;
    answer = async (method) => {
      if (method === 'DELETE') {
        isEarlier = true;
        void client.fetchInfiniteQuery({ ...consentsQuery('s'), staleTime: 0 }).catch(() => {});
        await isAsked;
        held = [];
        return { status: 204 };
      }
      if (!isEarlier) return listed();
      // Answered with what there was before, and never.
      isEarlier = false;
      asked();
      return new Promise(() => {});
    };
    assert.equal(await revokeConsents(client, 's', 'all'), 3);
  });

  it('report when the remaining consents cannot be read', async () => {
    const change = answer;
    answer = (method, url) =>
      method === 'GET' && written().length > 0
        ? { status: 502, body: { error: 'x', message: 'away' } }
        : change(method, url);
    await assert.rejects(
      revokeConsents(queryClient(), 's', 'all'),
      /accepted the request, but the remaining consents .* away/,
    );
  });

  describe('everywhere', () => {
    /** Each step's answer or failure. */
    const results = async (): Promise<string[]> => {
      const answers: string[] = [];
      for (const { run } of signOutSteps(queryClient(), ID))
        answers.push(await run().catch(({ message }) => `! ${message}`));
      return answers;
    };

    it('find nothing to end where there is nothing: 404 of the identity service is no failure', async () => {
      held = [];
      answer = (method, { pathname }) =>
        method === 'GET'
          ? { status: 200, body: [] }
          : { status: pathname.endsWith('/sessions') ? 404 : 204, body: undefined };
      const [sessions, , consents] = await results();
      assert.equal(sessions, 'There were none.');
      assert.equal(consents, 'There were none.');
    });

    it('are not reported as done when something else answers 404, or sessions continue', async () => {
      answer = () => ({ status: 404, body: { error: 'upstream_error', message: 'nothing here' } });
      assert.deepEqual(await results(), Array(4).fill('! nothing here'));
      answer = (method) => (method === 'GET' ? { status: 200, body: [{ id: 's', active: true }] } : { status: 204 });
      assert.match((await results())[0] ?? '', /some sessions are still active/);
      answer = (method) => (method === 'GET' ? { status: 200, body: [{ id: 's', active: false }] } : { status: 204 });
      assert.equal((await results())[0], 'Ended.');
    });
  });
});
