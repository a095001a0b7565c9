import { membersOf } from '../../../shared/json.ts';
import { UpstreamFailure } from '../../upstream/upstream-failure.ts';
import { countOne } from './counts.ts';
import { type CrawlOptions, crawl } from './crawl.ts';
import type { StaleWhileRevalidate } from './stale-while-revalidate.ts';
import { shortText, timeOf } from './upstream-fields.ts';

/** Counts over a sample of the identities. Nothing of a single identity is kept but its creation time. */
export interface IdentitySample {
  /** How many identities there are in total; null if the store does not say. */
  total: number | null;
  sample: number;
  complete: boolean;
  /** Identities with a verifiable address, and with a verified one. */
  verifiable: number;
  verified: number;
  bySchema: ReadonlyMap<string, number>;
  /** Milliseconds since the epoch, unordered. */
  createdAt: readonly number[];
  /** When the crawl began, in milliseconds since the epoch. */
  asOf: number;
}

/**
 * Up to 20,000 identities of a store. Ids are random, so the first pages are a fair sample.
 * @param total the number of identities; null if the store does not say
 */
export const identityCrawl = (
  options: CrawlOptions,
  total: () => Promise<number | null>,
): StaleWhileRevalidate<IdentitySample> =>
  crawl(options, {
    path: '/admin/identities',
    most: { page: 500, items: 20_000 },
    fitted: true,
    freshMs: 15 * 60_000,
    usableMs: 60 * 60_000,
    async begin(asOf) {
      const counted = await total();
      const bySchema = new Map<string, number>();
      const createdAt: number[] = [];
      let [sample, verifiable, verified] = [0, 0, 0];
      return {
        add(identity) {
          const fields = membersOf(identity);
          if (shortText(fields['id']) === undefined) throw new UpstreamFailure('nonsense');
          sample += 1;
          const addresses: unknown = fields['verifiable_addresses'];
          if (Array.isArray(addresses) && addresses.length > 0) {
            verifiable += 1;
            if (addresses.some((address) => membersOf(address)['verified'] === true)) verified += 1;
          }
          countOne(bySchema, shortText(fields['schema_id']));
          const created = timeOf(fields['created_at']);
          if (created !== undefined) createdAt.push(created);
        },
        result: (complete) => ({
          total: counted ?? (complete ? sample : null),
          sample,
          complete,
          verifiable,
          verified,
          bySchema: new Map(bySchema),
          createdAt: createdAt.slice(),
          asOf,
        }),
      };
    },
  });
