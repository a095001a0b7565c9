import { infiniteQueryOptions } from '@tanstack/react-query';
import { timeOf } from '../../../../shared/json.ts';
import { latestMessagesQuery } from '../../../api/message-addresses.ts';
import type { ListedMessage } from '../../../api/messages.ts';

/** What the numbers on tabs have asked so long ago at most is not asked again. */
export const JUST_ASKED_MS = 5_000;

/** Cursors of the addresses that have more messages. */
type Cursors = ReadonlyMap<string, string>;

/** Messages to several addresses: the next ones of each. */
interface MessagesPage {
  rows: readonly ListedMessage[];
  more: Cursors;
  /** All messages after it have been read; ISO 8601, undefined once all have. */
  readTo: string | undefined;
}

/** Messages to these addresses, newest first; the queue can only be asked for one address. */
export const messagesToQuery = (addresses: readonly string[]) =>
  infiniteQueryOptions({
    queryKey: ['messages', 'to', addresses],
    async queryFn({ pageParam, client, queryKey }): Promise<MessagesPage> {
      // Whoever reads again wants to know anew.
      const staleTime = client.getQueryData(queryKey) === undefined ? JUST_ASKED_MS : 0;
      const asked = pageParam === undefined ? addresses : [...pageParam.keys()];
      const pages = await Promise.all(
        asked.map(async (recipient) => {
          const token = pageParam?.get(recipient);
          return { recipient, ...(await client.fetchQuery({ ...latestMessagesQuery(recipient, token), staleTime })) };
        }),
      );
      const unfinished = pages.filter(({ next }) => next !== undefined);
      return {
        rows: pages.flatMap(({ rows }) => rows),
        more: new Map(unfinished.map(({ recipient, next = '' }) => [recipient, next])),
        readTo: latest(unfinished.map(({ rows }) => rows.at(-1)?.created ?? '')),
      };
    },
    initialPageParam: undefined as Cursors | undefined,
    getNextPageParam: ({ more }) => (more.size === 0 ? undefined : more),
    retry: false,
  });

const latest = (times: readonly string[]): string | undefined =>
  times.toSorted((one, other) => timeOf(other) - timeOf(one))[0];
