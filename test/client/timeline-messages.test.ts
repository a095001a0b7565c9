import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { QueryClient } from '@tanstack/react-query';
import { messagesToQuery } from '../../client/features/identities/person-timeline.tsx';
import { pretendBrowser } from '../support/dom.ts';

describe('the messages of a timeline', () => {
  let server: Server;
  let close: () => Promise<void>;
  let asked: URL[];
  /** A body, and perhaps the cursor of the next page. */
  let response: (url: URL) => { body: unknown; next?: string };

  before((done) => {
    server = createServer((req, res) => {
      const url = new URL(req.url ?? '', 'http://localhost');
      asked.push(url);
      const { body, next } = response(url);
      if (next !== undefined) res.setHeader('link', `<${url.pathname}?page_token=${next}>; rel="next"`);
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
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
  beforeEach(() => {
    asked = [];
  });
  const message = (id: string, created_at: string) => ({ id, created_at, recipient: 'x' });

  it('are requested for each address, and then only for addresses with more messages', async () => {
    response = ({ searchParams }) => {
      const [recipient, token] = [searchParams.get('recipient'), searchParams.get('page_token')];
      if (recipient === 'short@x') return { body: [message('s1', '2026-01-09T00:00:00Z')] };
      if (token === 'next of busy@x') return { body: [message('b3', '2026-01-02T00:00:00Z')] };
      const body = [message(`${recipient}1`, '2026-01-08T00:00:00Z'), message(`${recipient}2`, '2026-01-07T00:00:00Z')];
      if (recipient === 'busy@x') body[1] = message('b2', '2026-01-07T12:00:00Z');
      return token === null ? { body, next: `next of ${recipient}` } : { body: [] };
    };
    const queryClient = new QueryClient();
    const query = messagesToQuery(['short@x', 'busy@x', 'calm@x']);
    const first = await queryClient.fetchInfiniteQuery(query);
    // The rest of the busy one begins there: what is older elsewhere may not be all.
    assert.equal(first.pages[0]?.loadedTo, '2026-01-07T12:00:00Z');
    assert.equal(first.pages[0]?.rows.length, 5);
    asked = [];
    const { pages } = await queryClient.fetchInfiniteQuery({ ...query, pages: 2, staleTime: 0 });
    assert.deepEqual(
      asked.slice(3).map(({ searchParams }) => [searchParams.get('recipient'), searchParams.get('page_token')]),
      [
        ['busy@x', 'next of busy@x'],
        ['calm@x', 'next of calm@x'],
      ],
    );
    assert.equal(pages[1]?.loadedTo, undefined);
    assert.deepEqual(
      pages
        .flatMap(({ rows }) => rows)
        .map(({ id }) => id)
        .sort(),
      ['b2', 'b3', 'busy@x1', 'calm@x1', 'calm@x2', 's1'],
    );
  });
});
