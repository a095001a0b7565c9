import type { Identity } from '../../../api/identities-record.ts';
import type { MemberChange } from '../../../resource/form/member-changes.ts';
import { isHeldExactly, takeBack } from '../../../resource/undo/take-back.ts';
import { toast } from '../../../ui/feedback/toasts.tsx';
import { offerUndo } from '../../../ui/feedback/undo-offer.tsx';
import { identityChange } from '../identity-change.ts';

/**
 * Says that an edit is saved, and offers to undo it.
 * @param edit.before as it was read right before the write
 */
export function offerUndoOfEdit(
  said: string,
  edit: { before: Identity; saved: Identity; mine: readonly MemberChange[]; refresh: () => Promise<unknown> },
): void {
  const change = identityChange(edit.saved, edit.mine);
  if (change.changes.length === 0 || !change.changes.every(({ before }) => isHeldExactly(before))) {
    toast(said);
    return;
  }
  const lost = verifiedIn(edit.before).filter((address) => !verifiedIn(edit.saved).includes(address));
  offerUndo(lost.length === 0 ? said : `${said}. Undo brings back ${lost.join(', ')}, but not as verified.`, () =>
    takeBack(change).finally(edit.refresh),
  );
}

const verifiedIn = ({ verifiable_addresses = [] }: Identity): string[] =>
  verifiable_addresses.filter(({ verified }) => verified).map(({ value }) => value);
