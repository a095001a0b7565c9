import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type Ref, useRef, useState } from 'react';
import { type JsonObject, texts } from '../../../shared/json.ts';
import { clientQuery, type OauthClient, patchClient } from '../../api/oauth-clients.ts';
import { RequestError } from '../../api/request.ts';
import { shortened } from '../../lib/visible-text.ts';
import { applied, type MemberChange } from '../../record/member-changes.ts';
import { useRecordEdit } from '../../record/record-edit.tsx';
import { FormButtons } from '../../record/record-form.tsx';
import { useRecord } from '../../record/tabs.tsx';
import { offerUndoOfEdit, savedChange } from '../../record/undo.ts';
import { useFocusAfterRender } from '../../ui/hooks.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { loadDialogs } from '../../ui/modal.tsx';
import { IconAlertTriangle, IconTrash } from '../../ui/shell-icons.tsx';
import { toast } from '../../ui/toasts.tsx';
import { clientRecord, documentOf, membersStoredDifferently, patchOf, useClientForm } from './client-draft.ts';
import { fieldLabel } from './client-fields.ts';
import { ClientForm } from './client-form.tsx';
import { makeClient } from './client-kinds.ts';
import { clientName, isOwnClient, usesSecret } from './client-members.ts';
import { CLIENT_PAGES_KEY } from './client-resource.ts';
import { newSecret, SecretDialog, setSecretPatch } from './client-secret.tsx';

const route = getRouteApi('/signed-in/oauth/clients/$id/edit');

export function ClientEdit() {
  const client = useRecord(clientQuery);
  // Opens the form with the current version. A later refetch must not close it while the operator types.
  const { isFetchedAfterMount } = useQuery({ ...clientQuery(client.client_id), refetchOnMount: 'always' });
  if (!isFetchedAfterMount) return <LoadingRows label="Loading the client" height={320} />;
  return <EditForm key={client.client_id} client={client} />;
}

function EditForm({ client }: { client: OauthClient }) {
  const id = client.client_id;
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const [secret, setSecret] = useState<{ value: string; unconfirmed?: string }>();
  const [isDeleted, setDeleted] = useState(false);
  const focusAfterRender = useFocusAfterRender();
  const deletedAlert = useRef<HTMLDivElement>(null);
  const { record, generated } = useRecordWithSecret(id, (value, error) =>
    setSecret({ value, unconfirmed: error.message }),
  );
  const toClient = { to: '/oauth/clients/$id', params: { id }, state: true } as const;
  const refresh = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: clientQuery(id).queryKey }),
      queryClient.invalidateQueries({ queryKey: CLIENT_PAGES_KEY }),
    ]);

  const form = useClientForm({
    of: id,
    id,
    start: documentOf(client),
    save: async (members, base) => {
      if (!isDeleted) return edit.save(base, documentOf(members));
      await loadDialogs();
      const created = await makeClient(members, id);
      form.finish();
      toast(`Created ${shortened(clientName(created.client))} again`);
      await leave(created.secret);
    },
    isHandled(error) {
      if (isDeleted || error.status !== 404) return false;
      setDeleted(true);
      focusAfterRender(() => deletedAlert.current);
      void queryClient.invalidateQueries({ queryKey: CLIENT_PAGES_KEY });
      return true;
    },
  });
  const edit = useRecordEdit(record, form, refresh, async ({ saved, edited, mine }) => {
    const others = membersStoredDifferently(mine, edited, saved).map(fieldLabel);
    const name = shortened(clientName(saved));
    const message = `Saved ${name}`;
    const note = others.length === 0 ? '' : `, but the OAuth server changed ${others.join(', ')}`;
    // Also if an earlier attempt, whose response was lost, has stored it.
    const newSecretValue = usesSecret(edited.token_endpoint_auth_method) ? generated.current : undefined;
    // An edit that generates a secret cannot be undone, because the operator is about to store that secret elsewhere.
    if (newSecretValue === undefined)
      offerUndoOfEdit(message, note, savedChange(clientRecord(id), saved, mine), refresh, (path) =>
        fieldLabel(path.slice(1)).toLowerCase(),
      );
    else toast(message + note);
    await leave(newSecretValue);
  });
  const leave = async (newSecretValue: string | undefined): Promise<void> => {
    await refresh();
    if (newSecretValue === undefined) await navigate(toClient);
    else setSecret({ value: newSecretValue });
  };

  return (
    <>
      {isOwnClient(texts(client.redirect_uris)) && (
        <Alert
          variant="default"
          icon={<IconAlertTriangle size={24} />}
          mb="md"
          title="Operators sign in to this dashboard with this client"
        >
          A mistake here can lock out every operator.
        </Alert>
      )}
      <ClientForm form={form} label="Edit the client" unsaved={isDeleted ? 'Not created' : 'Not saved'}>
        {isDeleted ? (
          <DeletedAlert ref={deletedAlert} pending={form.pending} onCreate={form.submit} />
        ) : (
          <Text size="xs" c="dimmed">
            Only changed fields are saved. If somebody else has changed the client since you opened it, you choose what
            to keep. Only a change in the instant before saving goes unnoticed, since the OAuth server has no
            conditional writes. If you change the authentication to one with a secret, a new secret is shown once.
          </Text>
        )}
        <FormButtons
          cancel={isDeleted ? { to: '/oauth/clients' } : toClient}
          submit={isDeleted ? undefined : 'Save'}
          pending={form.pending}
        />
      </ClientForm>
      {edit.conflictDialog}
      {secret !== undefined && (
        <SecretDialog
          clientId={id}
          secret={secret.value}
          unconfirmed={secret.unconfirmed}
          onStored={() => {
            setSecret(undefined);
            if (secret.unconfirmed === undefined) void navigate(toClient);
          }}
        />
      )}
    </>
  );
}

/**
 * The client. A write that changes it to authentication with a secret also sets a new secret.
 * @param onUnconfirmed called with the secret if a write failed that the server may have stored
 */
function useRecordWithSecret(id: string, onUnconfirmed: (secret: string, error: Error) => void) {
  const record = clientRecord(id);
  // Reused for every attempt: if the response to a write is lost, the retry must send the same secret.
  const generated = useRef<string>(undefined);
  const needsSecret = (before: OauthClient, edited: JsonObject): boolean =>
    usesSecret(edited.token_endpoint_auth_method) && !usesSecret(documentOf(before).token_endpoint_auth_method);
  const write = async (now: OauthClient, changes: readonly MemberChange[]): Promise<OauthClient> => {
    if (!needsSecret(now, applied(documentOf(now), changes))) return record.write(now, changes);
    await loadDialogs();
    generated.current ??= newSecret();
    const value = generated.current;
    try {
      return await patchClient(id, [...patchOf(changes, now), ...setSecretPatch(value)]);
    } catch (error) {
      if (error instanceof RequestError && error.status < 500) generated.current = undefined;
      else onUnconfirmed(value, error as Error);
      throw error;
    }
  };
  return { record: { ...record, write }, generated };
}

/** Its button is not in the position of “Save”, where the second click of a double click would land. */
function DeletedAlert(props: { ref: Ref<HTMLDivElement>; pending: boolean; onCreate: () => void }) {
  return (
    <Alert
      ref={props.ref}
      tabIndex={-1}
      role="alert"
      variant="default"
      icon={<IconTrash size={24} />}
      title="Somebody deleted this client"
    >
      <Stack gap="xs">
        This form still has your entries. If you create the client again, it gets the same ID and these values. The
        tokens, consents and secret of the deleted client cannot be restored. If the new client needs a secret, it is
        shown once.
        <Group>
          <Button size="xs" loading={props.pending} onClick={props.onCreate}>
            Create it again
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
