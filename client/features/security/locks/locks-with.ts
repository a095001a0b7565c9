import type { LockedAccount } from '../../../../shared/security.ts';

/** Accounts whose identifier contains the text; identifiers are in lower case. */
export const locksWith = (text: string | undefined, accounts: readonly LockedAccount[]): readonly LockedAccount[] =>
  text === undefined ? accounts : accounts.filter(({ identifier }) => identifier.includes(text.toLowerCase()));
