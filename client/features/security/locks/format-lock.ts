import type { LockedAccount } from '../../../../shared/locked-accounts.ts';
import { counted } from '../../../format/counted.ts';

/** `wrong_password` after 5 attempts: "Wrong password, 5 attempts". */
export function formatReason({ reason, attempts }: Pick<LockedAccount, 'reason' | 'attempts'>): string {
  const words = reason.replaceAll('_', ' ').trim();
  const why = words === '' ? 'Reason unknown' : words[0]?.toUpperCase() + words.slice(1);
  return attempts > 0 ? `${why}, ${counted(attempts, 'attempt', 'attempts')}` : why;
}

/** Accounts whose identifier contains the text; identifiers are in lower case. */
export const locksWith = (text: string | undefined, accounts: readonly LockedAccount[]): readonly LockedAccount[] =>
  text === undefined ? accounts : accounts.filter(({ identifier }) => identifier.includes(text.toLowerCase()));
