import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type JsonSchema, keysOf } from '../../../shared/json.ts';
import { type Identity, identityQuery } from '../../api/identities.ts';
import { identitySchemaQuery } from '../../api/identity-schemas.ts';
import { RequestError, reworded } from '../../api/request.ts';
import { useOperator } from '../../api/session.ts';
import { shortName } from '../../lib/identity-name.ts';
import { memberChanges, Overwritten } from '../../record/member-changes.ts';
import { useRecordEdit } from '../../record/record-edit.tsx';
import { DraftRefused, FormButtons } from '../../record/record-form.tsx';
import { useRecord } from '../../record/tabs.tsx';
import { offerUndoOfEdit, savedChange } from '../../record/undo.ts';
import { Dimmed } from '../../ui/layout.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { documentOf, identityRecord, refreshIdentity } from './identity-draft.ts';
import { IdentityForm, useIdentityForm } from './identity-form.tsx';
import { OWN_ACCOUNT, ownRoleIn } from './identity-resource.ts';
import { traitLabel } from './traits-tab.tsx';

const route = getRouteApi('/signed-in/identities/$id/traits/edit');

export function IdentityEdit() {
  const identity = useRecord(identityQuery);
  // The form waits for the current version. A later refetch must not close it while the operator types.
  const { isFetchedAfterMount } = useQuery({ ...identityQuery(identity.id), refetchOnMount: 'always' });
  const { data: schema, isPending } = useQuery({
    ...identitySchemaQuery(identity.schema_id),
    placeholderData: keepPreviousData,
  });
  if (isPending || !isFetchedAfterMount) return <LoadingRows label="Loading the schema" height={320} />;
  return <EditForm key={identity.id} identity={identity} schema={schema} />;
}

function EditForm({ identity, schema }: { identity: Identity; schema: JsonSchema | undefined }) {
  const { id } = identity;
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const operator = useOperator();
  const record = identityRecord(id);
  const toTraits = { to: '/identities/$id/traits', params: { id }, state: true } as const;
  const refresh = () => refreshIdentity(queryClient, id);

  const form = useIdentityForm({
    of: id,
    start: documentOf(identity),
    schema,
    refetchSchema: () => queryClient.fetchQuery({ ...identitySchemaQuery(identity.schema_id), staleTime: 0 }),
    save: async (members, start) => {
      const base = start ?? documentOf(identity);
      const { external_id: _typedAnew, ...others } = base;
      const edited = { ...others, ...members };
      const role = id === operator.identityId ? ownRoleIn(memberChanges(base, edited), operator) : undefined;
      if (role !== undefined) throw new DraftRefused({ [role]: OWN_ACCOUNT }, true);
      await edit.save(base, edited).catch((error: Error) => {
        if (!(error instanceof RequestError && error.status === 404)) throw error;
        throw reworded(error, 'Somebody deleted this identity. This form still has your entries.');
      });
    },
  });
  const isOverwritten = form.failure instanceof Overwritten;
  const edit = useRecordEdit(record, form, refresh, async ({ before, saved, edited, mine }) => {
    const others = memberChanges(edited, documentOf(saved)).map(({ path }) => path.slice(1));
    const name = shortName(saved);
    const unverified = verifiedIn(before).filter((address) => !verifiedIn(saved).includes(address));
    offerUndoOfEdit(
      `Saved ${name}`,
      others.length === 0 ? '' : `, but the identity service changed ${others.join(', ')}`,
      savedChange(record, saved, mine),
      refresh,
      (path) => {
        const [part, ...steps] = keysOf(path);
        return part === 'traits'
          ? traitLabel(schema, steps).toLowerCase()
          : keysOf(path).join('.').replaceAll('_', ' ');
      },
      unverified.length === 0 ? undefined : `. Undo restores ${unverified.join(', ')}, but not as verified.`,
    );
    await refresh();
    await navigate(toTraits);
  });

  return (
    <>
      <IdentityForm form={form} label="Edit the identity" unsaved={isOverwritten ? 'Overwritten' : 'Not saved'}>
        <Dimmed size="xs">
          Only changed fields are saved. If somebody else has changed the identity since you opened it, you choose what
          to keep. If two people save at the same moment, one can overwrite the other; this form then says what.
        </Dimmed>
        <FormButtons cancel={toTraits} submit={isOverwritten ? 'Save again' : 'Save'} pending={form.pending} />
      </IdentityForm>
      {edit.conflictDialog}
    </>
  );
}

const verifiedIn = ({ verifiable_addresses = [] }: Identity): string[] =>
  verifiable_addresses.filter(({ verified }) => verified).map(({ value }) => value);
