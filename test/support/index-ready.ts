import type { Dashboard } from './dashboard.ts';
import { eventually } from './eventually.ts';

/** Longer than any test waits for what is there. */
export const SYNC_TIMEOUT_MS = 120_000;

/**
 * Waits until the index has read identities and clients: on a busy machine later than a first question waits for it.
 * @param session an administrator's
 */
export const indexReady = ({ call }: Pick<Dashboard, 'call'>, session: string): Promise<void> =>
  eventually(
    async () => {
      const targets = ['/api/identities/search?page_size=1', '/api/oauth-clients/search?page_size=1'];
      const responses = await Promise.all(targets.map(async (target) => (await call(target, { session })).json()));
      return responses.map((response) => (response as { index?: { complete: boolean } }).index?.complete);
    },
    [true, true],
    undefined,
    SYNC_TIMEOUT_MS,
  );
