import type { Delivery, Message } from '../../../api/message-record.ts';
import { counted } from '../../../format/counted.ts';

/** The state of a message, and what it means for its recipient. */
export function formatProgress({ status, attempts }: Pick<Message, 'status' | 'attempts'>): string {
  switch (status) {
    case 'queued':
      return 'Waiting for the courier. If the identity service runs without one, messages stay queued.';
    case 'processing':
      return 'The courier is sending it now, or will retry after a failed attempt.';
    case 'sent':
      return 'The mail or SMS server accepted it. Whether it arrived is unknown.';
    case 'abandoned':
      return `The courier gave up after ${counted(attempts, 'attempt', 'attempts')}. Messages cannot be resent: the person can request a new one, or you can create a recovery code on their page.`;
    default:
      return 'This dashboard does not know this status.';
  }
}

export const formatOutcome = ({ status }: Pick<Delivery, 'status'>): string => {
  if (status === 'success') return 'Accepted';
  return status === 'failed' ? 'Failed' : status || 'unknown';
};
