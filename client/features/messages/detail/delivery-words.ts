import { counted } from '../../../format/counted.ts';
import type { Delivery, Message } from '../message-record.ts';

/** Where a message stands, and what that means for whoever waits for it. */
export function formatProgress({ status, attempts }: Pick<Message, 'status' | 'attempts'>): string {
  switch (status) {
    case 'queued':
      return 'It waits for the courier. Where the identity service runs without one, messages stay queued forever.';
    case 'processing':
      return 'The courier is working on it: it is trying now, or has failed and will try again.';
    case 'sent':
      return 'The server that delivers messages accepted it. Whether it arrived is not known here.';
    case 'abandoned':
      return `After ${counted(attempts, 'try', 'tries')} the courier gave up and will not try again. No message can be sent again: the person has to ask for a new one, or be given a recovery code from their page.`;
    default:
      return 'This dashboard does not know what this status means.';
  }
}

export const formatOutcome = ({ status }: Pick<Delivery, 'status'>): string => {
  if (status === 'success') return 'Accepted';
  return status === 'failed' ? 'Failed' : status || 'not known';
};
