import { useQueryClient } from '@tanstack/react-query';
import {
  type Identity,
  identitiesChanged,
  identityQuery,
  patchIdentity,
  readIdentity,
  type VerifiableAddress,
} from '../../api/identities.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { offerUndo, UndoRefused } from '../../ui/toasts.tsx';

/** Says in the person's place that an address is theirs. */
export function MarkVerified(props: { identity: Identity; address: VerifiableAddress; onClose: () => void }) {
  const { identity, address, onClose } = props;
  const queryClient = useQueryClient();
  const refresh = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: identityQuery(identity.id).queryKey }),
      identitiesChanged(queryClient),
    ]);
  const act = async (): Promise<void> => {
    await setVerified(identity.id, address, true);
    offerUndo(`${address.value} is marked as verified`, async () => {
      await setVerified(identity.id, address, false).finally(refresh);
      return `${address.value} is not verified again`;
    });
    await refresh();
    onClose();
  };
  return (
    <ConfirmDialog
      title={`Mark ${address.value} as verified?`}
      consequences={[
        'Do this only if you know from elsewhere that the address is theirs: nobody proves it with a code.',
        'Where sign-in or recovery requires a verified address, it is possible from now on.',
      ]}
      action="Mark as verified"
      onClose={onClose}
      act={act}
    />
  );
}

/** The identity is read right before: a patch names an address by its place in the list. */
async function setVerified(id: string, { value, via }: VerifiableAddress, verified: boolean): Promise<void> {
  const placeIn = ({ verifiable_addresses: all = [] }: Identity): number =>
    all.findIndex((one) => one.value === value && one.via === via);
  const at = placeIn(await readIdentity(id));
  if (at < 0) throw new UndoRefused('The identity does not have this address any more.');
  const path = `/verifiable_addresses/${at}`;
  const saved = await patchIdentity(id, [
    { op: 'add', path: `${path}/verified`, value: verified },
    { op: 'add', path: `${path}/verified_at`, value: verified ? new Date().toISOString() : null },
    { op: 'add', path: `${path}/status`, value: verified ? 'completed' : 'pending' },
  ]);
  if (saved.verifiable_addresses?.[placeIn(saved)]?.verified !== verified)
    throw new UndoRefused('The identity service did not take this over: it leaves the address as it was.');
}
