import { infiniteQueryOptions } from '@tanstack/react-query';
import { timeOf } from '../../../../shared/time-of.ts';
import { type ListedMessage, readMessagePage } from '../../../api/messages.ts';

/** Of each address at a time. */
const PAGE_SIZE = 25;

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
    async queryFn({ pageParam, signal }): Promise<MessagesPage> {
      const asked = pageParam === undefined ? addresses : [...pageParam.keys()];
      const pages = await Promise.all(
        asked.map(async (recipient) => {
          const token = pageParam?.get(recipient);
          return { recipient, ...(await readMessagePage({ pageSize: PAGE_SIZE, recipient, token }, signal)) };
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
