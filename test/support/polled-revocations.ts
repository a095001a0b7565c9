import { changePoll } from '../../server/db/change-poll.ts';
import { createRevocations, type Revocations } from '../../server/session/revocations.ts';

/** Revocations that a poll of their own keeps up. */
export interface PolledRevocations extends Omit<Revocations, 'follow'> {
  start(): Promise<void>;
}

type Options = Parameters<typeof createRevocations>[0] & Pick<Parameters<typeof changePoll>[0], 'log' | 'pollMs'>;

export function polledRevocations({ pollMs, ...options }: Options): PolledRevocations {
  const { follow, close, ...revocations } = createRevocations(options);
  const poll = changePoll({ ...options, pollMs, settings: () => {}, revocations: follow });
  return {
    ...revocations,
    start: poll.start,
    close() {
      poll.close();
      close();
    },
  };
}
