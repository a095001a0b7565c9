import { Button, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { JsonSchema } from '../../../shared/json.ts';
import { type Identity, identitiesChanged, identityQuery } from '../../api/identities.ts';
import { identitySchemaQuery } from '../../api/identity-schemas.ts';
import { useOperator } from '../../api/session.ts';
import { applied, EditConflictDialog, type MemberChange, memberChanges } from '../../record/edit-conflict.tsx';
import { useRecord } from '../../record/tabs.tsx';
import { isHeldExactly, takeBack } from '../../record/undo.ts';
import { LoadingRows } from '../../ui/loading.tsx';
import { offerUndo, toast } from '../../ui/toasts.tsx';
import { identityChange } from './identity-change.ts';
import { documentOf, type IdentityDocument } from './identity-draft.ts';
import { IdentityForm } from './identity-form.tsx';
import { IDENTITIES, OWN_ACCOUNT, ownRoleIn } from './identity-resource.ts';
import { type EditConflict, saveIdentity, useIdentityForm } from './use-identity-form.ts';

const route = getRouteApi('/signed-in/identities/$id/traits/edit');

export function IdentityEdit() {
  const identity = useRecord(identityQuery);
  const { isFetching } = useQuery(identityQuery(identity.id));
  const { data: schema, isPending } = useQuery(identitySchemaQuery(identity.schema_id));
  // The form waits for the current version; once shown, it is not replaced while the operator is typing.
  const [loaded, setLoaded] = useState(false);
  if (!loaded && !isPending && !isFetching) setLoaded(true);
  if (!loaded) return <LoadingRows label="Loading the schema" height={320} />;
  return <EditForm key={identity.id} identity={identity} schema={schema} />;
}

function EditForm({ identity, schema }: { identity: Identity; schema: JsonSchema | undefined }) {
  const { id } = identity;
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const operator = useOperator();
  const [conflict, setConflict] = useState<EditConflict>();
  const toTraits = { to: '/identities/$id/traits', params: { id }, state: true } as const;

  const refresh = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: identityQuery(id).queryKey }),
      identitiesChanged(queryClient),
    ]);
  const save = async (base: IdentityDocument, wanted: IdentityDocument): Promise<void> => {
    const mine = memberChanges(base, wanted);
    if (mine.length === 0) {
      toast('Nothing was changed');
      return;
    }
    const role = id === operator.identityId ? ownRoleIn(mine, operator) : undefined;
    if (role !== undefined) return form.refuse({ [role]: OWN_ACCOUNT }, false);
    const result = await saveIdentity(id, base, wanted);
    if ('conflict' in result) {
      setConflict(result.conflict);
      return;
    }
    form.finish();
    const untaken = memberChanges(wanted, documentOf(result.saved)).map(({ path }) => path.slice(1));
    const said = untaken.length === 0 ? 'Saved' : `Saved, but the identity service changed ${untaken.join(', ')}`;
    offerUndoOfEdit(said, { before: result.before, saved: result.saved, mine, refresh });
    await refresh();
    await navigate(toTraits);
  };
  const form = useIdentityForm({
    of: id,
    start: documentOf(identity),
    schema,
    readSchemaAgain: () => queryClient.fetchQuery({ ...identitySchemaQuery(identity.schema_id), staleTime: 0 }),
    save: async (members) => {
      const base = form.base ?? documentOf(identity);
      const { external_id: _typedAnew, ...kept } = base;
      await save(base, { ...kept, ...members });
    },
  });

  return (
    <>
      <IdentityForm form={form} label="Edit the identity" unsaved="Not saved">
        <Text size="xs" c="dimmed">
          Only the members that you change are written. The identity is read again just before, to detect changes by
          others. A change in the instant between reading and writing goes unnoticed, since the identity service has no
          conditional writes.
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" renderRoot={(props) => <Link {...props} {...toTraits} preload={false} />}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending}>
            Save
          </Button>
        </Group>
      </IdentityForm>
      {conflict !== undefined && (
        <EditConflictDialog
          what={IDENTITIES.one}
          changedAt={conflict.now.updated_at}
          mine={conflict.mine}
          theirs={conflict.theirs}
          onClose={() => setConflict(undefined)}
          onChosen={(chosen) => {
            const now = documentOf(conflict.now);
            const wanted = applied(now, chosen);
            form.rebase(now, wanted);
            setConflict(undefined);
            form.attempt(() => save(now, wanted));
          }}
        />
      )}
    </>
  );
}

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
