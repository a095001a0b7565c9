import { useQueryClient } from '@tanstack/react-query';
import type { IdentityCredential } from '../../../../shared/identity-credentials.ts';
import { type Identity, identityQuery } from '../../../api/identities-record.ts';
import { calledAs } from '../../../format/identity-name.ts';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx';
import { toast } from '../../../ui/feedback/toasts.tsx';
import { type CredentialItem, credentialItems, isThere } from './credential-items.ts';
import { credentialName } from './credential-names.ts';
import { deleteCredential, identityCredentialsQuery } from './credential-queries.ts';

/** Whether a credential may go is the identity service's word: its reason is shown in the dialog. */
export function DeleteCredential(props: { identity: Identity; item: CredentialItem; onClose: () => void }) {
  const { identity, item, onClose } = props;
  const { type } = item.credential;
  const queryClient = useQueryClient();
  const name = item.identifier === undefined ? credentialName(type) : `${credentialName(type)} ${item.identifier}`;
  return (
    <ConfirmDialog
      title={`Delete ${name} of ${calledAs(identity)}?`}
      consequences={consequencesOf(item.credential)}
      action="Delete"
      onClose={onClose}
      act={async () => {
        await deleteCredential(identity.id, type, item.identifier);
        void queryClient.invalidateQueries({ queryKey: identityQuery(identity.id).queryKey });
        // The identity service answers with success for some that it keeps: what counts is what is there afterwards.
        const left = await queryClient.fetchQuery({ ...identityCredentialsQuery(identity.id), staleTime: 0 });
        if (isThere(credentialItems(left), item))
          throw new Error('The identity service says that it is deleted, but it is still there.');
        toast(`${name} is deleted`);
        onClose();
      }}
    />
  );
}

function consequencesOf({ type, keys = [] }: IdentityCredential): string[] {
  const secondFactor = ['totp', 'lookup_secret', 'webauthn'].includes(type);
  return [
    ...(keys.length > 1 ? [`All ${keys.length} keys go together; one alone only the person can remove.`] : []),
    secondFactor
      ? 'The person signs in without this second factor from then on, until they set it up again.'
      : 'The person can no longer sign in this way.',
    'Sessions that exist go on; end them on the Sessions tab if the account may be in the wrong hands.',
    'This cannot be undone here: the person has to set it up again.',
    'The identity service refuses to remove the last way in.',
  ];
}
