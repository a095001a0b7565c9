import assert from 'node:assert/strict';
import { clientCrawl } from '../../server/features/activity/client-crawl.ts';
import type { CrawlOptions } from '../../server/features/activity/crawl.ts';
import { identityCrawl } from '../../server/features/activity/identity-crawl.ts';
import { sessionCrawl } from '../../server/features/activity/session-crawl.ts';
import type { StaleWhileRevalidate } from '../../server/features/activity/stale-while-revalidate.ts';
import { geoLookup } from '../../server/geo/geo-lookup.ts';
import type { AdminClient } from '../../server/upstream/admin-client.ts';
import { listedSession } from '../support/listed-pages.ts';
import { silentLog } from '../support/silent-log.ts';

const PAGES = 5;
const PAGE_SIZE = 1000;
const AS_OF = Date.parse('2026-01-31T09:00:00Z');

/** A list that is at hand at once: nothing but the crawl itself gives way. */
function clientOf(item: (index: number) => unknown): { client: AdminClient; pagesAsked: () => number } {
  let asked = 0;
  const refuse = () => Promise.reject(new Error('not asked for'));
  return {
    pagesAsked: () => asked,
    client: {
      text: refuse,
      get: refuse,
      list: refuse,
      async *pages() {
        for (let page = 0; page < PAGES; page += 1) {
          asked += 1;
          const items = Array.from({ length: PAGE_SIZE }, (_, index) => item(page * PAGE_SIZE + index));
          yield {
            items,
            bytes: 1_000_000,
            nextPageToken: page + 1 < PAGES ? String(page) : undefined,
            totalCount: undefined,
          };
        }
      },
    },
  };
}
const optionsFor = (client: AdminClient): CrawlOptions => ({
  client,
  now: () => AS_OF,
  monotonic: () => performance.now(),
  log: silentLog,
});

/** How often others had a turn before it was done. */
async function turnsDuring(crawl: StaleWhileRevalidate<unknown>): Promise<number> {
  let turns = 0;
  let done = false;
  const take = (): void => {
    turns += 1;
    if (!done) setImmediate(take);
  };
  setImmediate(take);
  await crawl.get();
  done = true;
  return turns;
}

describe('crawls', () => {
  const identity = (index: number) => ({ id: `i${index}`, schema_id: 'person', traits: {} });
  const CRAWLS: [
    name: string,
    item: (index: number) => unknown,
    of: (options: CrawlOptions) => StaleWhileRevalidate<unknown>,
  ][] = [
    [
      'sessions',
      (index) => listedSession(index),
      (options) =>
        sessionCrawl(
          options,
          geoLookup([], () => 0),
        ),
    ],
    ['identities', identity, (options) => identityCrawl(options, async () => null)],
    ['clients', (index) => ({ client_id: `c${index}` }), (options) => clientCrawl(options)],
  ];
  for (const [name, item, of] of CRAWLS) {
    it(`of ${name} yield after every 200 rows and every page`, async () => {
      const turns = await turnsDuring(of(optionsFor(clientOf(item).client)));
      assert.ok(turns >= PAGES * (PAGE_SIZE / 200), `${turns} turns`);
    });

    it(`of ${name} end at the next page when they are told to stop`, async () => {
      const { client, pagesAsked } = clientOf(item);
      const crawl = of(optionsFor(client));
      const asked = crawl.get();
      await new Promise(setImmediate);
      crawl.stop();
      await asked.catch(() => {});
      assert.equal(pagesAsked(), 1);
    });
  }

  it('keep of a session what the routes answer, once where it repeats, and nothing else', async () => {
    const secret = 'kept nowhere';
    const { client } = clientOf((index) =>
      listedSession(index, { at: new Date(AS_OF), ip: '203.0.113.7:1', identity: { id: 'same', traits: { secret } } }),
    );
    const { rows, truncated } = await sessionCrawl(
      optionsFor(client),
      geoLookup([], () => 0),
    ).get();
    assert.equal(rows.length, PAGES * PAGE_SIZE);
    assert.equal(truncated, false);
    assert.deepEqual(rows[7], {
      id: listedSession(7)['id'],
      identityId: 'same',
      active: true,
      issuedAt: AS_OF,
      authenticatedAt: AS_OF,
      expiresAt: AS_OF + 86_400_000,
      ip: '203.0.113.7',
      device: 'Mozilla/5.0 (X11; Linux x86_64)',
      place: undefined,
    });
    assert.doesNotMatch(JSON.stringify(rows), new RegExp(secret));
  });
});
