import type { Dashboard } from './dashboard.ts';
import { eventually } from './eventually.ts';

/** The longest that the index may take to read what a test needs. */
export const SYNC_TIMEOUT_MS = 120_000;

/**
 * Waits until the index has read identities, clients and sessions: on a busy machine, a search waits less than that.
 * @param session of an administrator
 */
export const indexReady = ({ call }: Pick<Dashboard, 'call'>, session: string): Promise<void> =>
  eventually(
    async () => {
      const read = async (path: string): Promise<unknown> => (await call(path, { session })).json();
      const lists = ['/api/identities/search?page_size=1', '/api/oauth-clients/search?page_size=1'];
      const searches = (await Promise.all(lists.map(read))) as { index?: { complete: boolean } }[];
      const { truncated } = (await read('/api/session-locations')) as { truncated?: boolean };
      return [...searches.map(({ index }) => index?.complete), truncated];
    },
    [true, true, false],
    undefined,
    SYNC_TIMEOUT_MS,
  );
