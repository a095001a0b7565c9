import type { ListedIdentity } from '../../../../shared/identities.ts';
import type { BulkDialogProps } from '../../../resource/bulk/bulk-actions.tsx';
import { BulkDialog } from '../../../resource/bulk/bulk-dialog.tsx';
import { CHOSEN_IDENTITIES, IDENTITY_ACTS, type IdentityActName } from './identity-acts.ts';

export const IdentityBulkDialog = ({ name, ...props }: BulkDialogProps<ListedIdentity, IdentityActName>) => (
  <BulkDialog act={IDENTITY_ACTS[name]} subject={CHOSEN_IDENTITIES} {...props} />
);
