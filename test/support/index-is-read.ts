import { becomes } from './becomes.ts';
import type { Dashboard } from './dashboard.ts';

/** Longer than any test waits for what is there. */
export const READING_MS = 120_000;

/**
 * Waits until the index has read identities and clients: on a busy machine later than a first question waits for it.
 * @param session an administrator's
 */
export const indexIsRead = ({ call }: Pick<Dashboard, 'call'>, session: string): Promise<void> =>
  becomes(
    async () => {
      const targets = ['/api/identities/search?page_size=1', '/api/oauth-clients/search?page_size=1'];
      const answers = await Promise.all(targets.map(async (target) => (await call(target, { session })).json()));
      return answers.map((answer) => (answer as { index?: { complete: boolean } }).index?.complete);
    },
    [true, true],
    undefined,
    READING_MS,
  );
