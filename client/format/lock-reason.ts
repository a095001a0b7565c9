import type { LockedAccount } from '../../shared/security.ts';
import { counted } from './counted.ts';

/** `wrong_password` after 5 attempts: "Wrong password, 5 attempts". */
export function formatReason({ reason, attempts }: Pick<LockedAccount, 'reason' | 'attempts'>): string {
  const words = reason.replaceAll('_', ' ').trim();
  const why = words === '' ? 'Reason unknown' : words[0]?.toUpperCase() + words.slice(1);
  return attempts > 0 ? `${why}, ${counted(attempts, 'attempt', 'attempts')}` : why;
}
