import { useQueryClient } from '@tanstack/react-query';
import type { IdentityCredential } from '../../../../shared/identity-credentials.ts';
import { type Identity, identityQuery } from '../../../api/identities-record.ts';
import { displayName } from '../../../format/identity-name.ts';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx';
import { NO_WAY_BACK } from '../../../ui/dialog/way-back.ts';
import { toast } from '../../../ui/feedback/toasts.tsx';
import { type CredentialItem, credentialItems, isThere } from './credential-items.ts';
import { credentialName } from './credential-names.ts';
import { deleteCredential, identityCredentialsQuery } from './credential-queries.ts';

/** The identity service decides whether a credential may be deleted; the dialog shows its reason. */
export function DeleteCredential(props: { identity: Identity; item: CredentialItem; onClose: () => void }) {
  const { identity, item, onClose } = props;
  const { type } = item.credential;
  const queryClient = useQueryClient();
  const name = item.identifier === undefined ? credentialName(type) : `${credentialName(type)} ${item.identifier}`;
  return (
    <ConfirmDialog
      title={`Delete ${name} of ${displayName(identity)}?`}
      consequences={consequencesOf(item.credential)}
      action="Delete"
      onClose={onClose}
      act={async () => {
        await deleteCredential(identity.id, type, item.identifier);
        void queryClient.invalidateQueries({ queryKey: identityQuery(identity.id).queryKey });
        // The identity service reports success for some that it keeps, so check.
        const left = await queryClient.fetchQuery({ ...identityCredentialsQuery(identity.id), staleTime: 0 });
        if (isThere(credentialItems(left), item))
          throw new Error('The identity service reported success but did not delete it.');
        toast(`${name} is deleted`);
        onClose();
      }}
    />
  );
}

function consequencesOf({ type, keys = [] }: IdentityCredential): string[] {
  const secondFactor = ['totp', 'lookup_secret', 'webauthn'].includes(type);
  return [
    ...(keys.length > 1 ? [`All ${keys.length} keys are deleted; only the person can remove a single one.`] : []),
    secondFactor
      ? 'The person then signs in without this second factor until they set it up again.'
      : 'The person can no longer sign in this way.',
    'Existing sessions continue. If the account may be compromised, end them on the Sessions tab.',
    `${NO_WAY_BACK} The person has to set it up again.`,
    'The identity service refuses to delete the last way to sign in.',
  ];
}
