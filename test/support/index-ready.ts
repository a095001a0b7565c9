import type { Dashboard } from './dashboard.ts';
import { eventually } from './eventually.ts';

/** Longer than any test waits for what is there. */
export const SYNC_TIMEOUT_MS = 120_000;

/**
 * Waits until the index has read identities, clients and sessions: on a busy machine later than a first question waits
 * for it.
 * @param session an administrator's
 */
export const indexReady = ({ call }: Pick<Dashboard, 'call'>, session: string): Promise<void> =>
  eventually(
    async () => {
      const read = async (path: string): Promise<unknown> => (await call(path, { session })).json();
      const lists = ['/api/identities/search?page_size=1', '/api/oauth-clients/search?page_size=1'];
      const found = (await Promise.all(lists.map(read))) as { index?: { complete: boolean } }[];
      const { truncated } = (await read('/api/session-locations')) as { truncated?: boolean };
      return [...found.map(({ index }) => index?.complete), truncated];
    },
    [true, true, false],
    undefined,
    SYNC_TIMEOUT_MS,
  );
