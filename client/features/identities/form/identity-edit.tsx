import { Button, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { JsonSchema } from '../../../../shared/json.ts';
import { identitiesChanged } from '../../../api/identities-changed.ts';
import { type Identity, identityQuery } from '../../../api/identities-record.ts';
import { identitySchemaQuery } from '../../../api/identity-schemas.ts';
import { useOperator } from '../../../api/session.ts';
import { useRecord } from '../../../resource/detail/use-record.tsx';
import { EditConflictDialog } from '../../../resource/form/edit-conflict-dialog.tsx';
import { applied, memberChanges } from '../../../resource/form/member-changes.ts';
import { toast } from '../../../ui/feedback/toasts.tsx';
import { LoadingRows } from '../../../ui/loading/loading-rows.tsx';
import { IDENTITIES } from '../identity-resource.ts';
import { OWN_ACCOUNT, ownRoleIn } from '../own-account.ts';
import { documentOf, type IdentityDocument } from './identity-document.ts';
import { IdentityForm } from './identity-form.tsx';
import { type EditConflict, saveIdentity } from './save-identity.ts';
import { offerUndoOfEdit } from './undo-edit.ts';
import { useIdentityForm } from './use-identity-form.ts';

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
