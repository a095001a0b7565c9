import { membersOf } from '../../../shared/json.ts';
import { UpstreamFailure } from '../../upstream/upstream-failure.ts';
import { countOne } from './counts.ts';
import { type CrawlOptions, crawl } from './crawl.ts';
import type { StaleWhileRevalidate } from './stale-while-revalidate.ts';
import { shortText } from './upstream-fields.ts';

export interface ClientSample {
  sample: number;
  truncated: boolean;
  /** A client counts once for each of its grants. */
  byGrant: ReadonlyMap<string, number>;
  /** When the crawl began, in milliseconds since the epoch. */
  asOf: number;
}

/** Up to 5,000 clients of the OAuth 2.0 server. */
export const clientCrawl = (options: CrawlOptions): StaleWhileRevalidate<ClientSample> =>
  crawl(options, {
    path: '/admin/clients',
    most: { page: 500, items: 5_000 },
    fitted: false,
    freshMs: 60_000,
    usableMs: 15 * 60_000,
    async begin(asOf) {
      const byGrant = new Map<string, number>();
      let sample = 0;
      return {
        add(client) {
          const fields = membersOf(client);
          if (shortText(fields['client_id']) === undefined) throw new UpstreamFailure('nonsense');
          sample += 1;
          const grants: unknown = fields['grant_types'];
          if (Array.isArray(grants)) for (const grant of new Set(grants.map(shortText))) countOne(byGrant, grant);
        },
        result: (whole) => ({ sample, truncated: !whole, byGrant: new Map(byGrant), asOf }),
      };
    },
  });
