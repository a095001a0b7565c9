import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { type JsonObject, text, texts } from '../../../shared/json.ts';
import { clientQuery, type OauthClient } from '../../api/oauth-clients.ts';
import { RequestError } from '../../api/request.ts';
import { applied, EditConflictDialog, memberChanges } from '../../record/edit-conflict.tsx';
import { useRecord } from '../../record/tabs.tsx';
import { useFocusAfterRender } from '../../ui/hooks.tsx';
import { IconAlertTriangle, IconTrash } from '../../ui/icons.tsx';
import { StickyBar } from '../../ui/layout.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { toast } from '../../ui/toasts.tsx';
import { documentOf } from './client-draft.ts';
import { fieldLabel } from './client-fields.ts';
import { ClientForm } from './client-form.tsx';
import { makeClient } from './client-kinds.ts';
import { isOwnClient, usesSecret } from './client-members.ts';
import { CLIENT_PAGES_KEY, CLIENTS } from './client-resource.ts';
import { newSecret, SecretDialog } from './client-secret.tsx';
import classes from './oauth-clients.module.css';
import { type ClientConflict, offerUndoOfEdit, saveClient, untakenMembers, useClientForm } from './use-client-form.ts';

const route = getRouteApi('/signed-in/oauth/clients/$id/edit');

export function ClientEdit() {
  const client = useRecord(clientQuery);
  const { isFetching } = useQuery(clientQuery(client.client_id));
  // The form waits for the current version; once shown, it is not replaced while the operator is typing.
  const [loaded, setLoaded] = useState(false);
  if (!loaded && !isFetching) setLoaded(true);
  if (!loaded) return <LoadingRows label="Loading the client" height={320} />;
  return <EditForm key={client.client_id} client={client} />;
}

const TO_CLIENTS = { to: '/oauth/clients' } as const;

interface ShownSecret {
  value: string;
  unconfirmed?: string;
}

function EditForm({ client }: { client: OauthClient }) {
  const id = client.client_id;
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const [conflict, setConflict] = useState<ClientConflict>();
  const [secret, setSecret] = useState<ShownSecret>();
  const [isGone, setGone] = useState(false);
  const focusAfterRender = useFocusAfterRender();
  const gone = useRef<HTMLDivElement>(null);
  // Reused for every attempt: if the response to a write is lost, the retry sends the same secret and not another one.
  const made = useRef<string>(undefined);
  const toClient = { to: '/oauth/clients/$id', params: { id }, state: true } as const;

  const save = async (base: JsonObject, wanted: JsonObject): Promise<void> => {
    if (memberChanges(base, wanted).length === 0) {
      toast('Nothing was changed');
      return;
    }
    const needsSecret = usesSecret(wanted.token_endpoint_auth_method) && !usesSecret(base.token_endpoint_auth_method);
    if (needsSecret) made.current ??= newSecret();
    const newOne = needsSecret ? made.current : undefined;
    const result = await saveClient(id, { base, wanted, secret: newOne }).catch((error: Error) => {
      if (error instanceof RequestError && error.status === 404) return 'gone' as const;
      if (newOne !== undefined && !(error instanceof RequestError && error.status < 500))
        setSecret({ value: newOne, unconfirmed: error.message });
      throw error;
    });
    if (result === 'gone') {
      setGone(true);
      focusAfterRender(() => gone.current);
      void queryClient.invalidateQueries({ queryKey: CLIENT_PAGES_KEY });
      return;
    }
    if ('conflict' in result) {
      setConflict(result.conflict);
      return;
    }
    const untaken = untakenMembers(base, wanted, result.saved).map(fieldLabel);
    const said = untaken.length === 0 ? 'Saved' : `Saved, but the OAuth server changed ${untaken.join(', ')}`;
    const { saved } = result;
    // A secret that is made with the edit is about to be stored somewhere: the way back is another edit.
    if (newOne === undefined) offerUndoOfEdit(said, { saved, mine: memberChanges(base, wanted), refresh });
    else toast(said);
    await done(newOne);
  };
  const createAgain = async (members: JsonObject): Promise<void> => {
    const { secret: newOne } = await makeClient(members, id);
    toast('Created again');
    await done(newOne);
  };
  const refresh = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: clientQuery(id).queryKey }),
      queryClient.invalidateQueries({ queryKey: CLIENT_PAGES_KEY }),
    ]);
  const done = async (newOne: string | undefined): Promise<void> => {
    form.finish();
    await refresh();
    if (newOne === undefined) await navigate(toClient);
    else setSecret({ value: newOne });
  };
  const form = useClientForm({
    of: id,
    id,
    start: documentOf(client),
    save: (members) => (isGone ? createAgain(members) : save(form.base ?? documentOf(client), documentOf(members))),
  });

  return (
    <>
      {isOwnClient(texts(client.redirect_uris)) && (
        <Alert
          variant="default"
          icon={<IconAlertTriangle size={24} />}
          mb="md"
          title="This dashboard signs its operators in with this client"
        >
          A mistake here can lock every operator out.
        </Alert>
      )}
      <ClientForm form={form} label="Edit the client" unsaved={isGone ? 'Not created' : 'Not saved'}>
        {isGone ? (
          // Not where “Save” was: the second click of a double click would hit it.
          <Alert
            ref={gone}
            tabIndex={-1}
            role="alert"
            variant="default"
            icon={<IconTrash size={24} />}
            title="Somebody deleted this client"
          >
            <Stack gap="xs">
              Your entries in this form are kept. If you create the client again, it gets the same id and these values.
              The tokens, consents and secret of the deleted one do not come back: if it needs a secret, a new one is
              shown once.
              <Group>
                <Button size="xs" loading={form.pending} onClick={form.submit}>
                  Create it again
                </Button>
              </Group>
            </Stack>
          </Alert>
        ) : (
          <Text size="xs" c="dimmed">
            Only the members that you change are written. The client is read again just before, to detect changes by
            others. A change in the instant between reading and writing goes unnoticed, since the OAuth server has no
            conditional writes. Changing authentication from “none” to a secret also creates a secret, which is shown
            once.
          </Text>
        )}
        <StickyBar justify="flex-end" gap="xs" className={classes.actions}>
          <Button
            variant="default"
            renderRoot={(props) => <Link {...props} {...(isGone ? TO_CLIENTS : toClient)} preload={false} />}
          >
            Cancel
          </Button>
          {!isGone && (
            <Button type="submit" loading={form.pending}>
              Save
            </Button>
          )}
        </StickyBar>
      </ClientForm>
      {conflict !== undefined && (
        <EditConflictDialog
          what={CLIENTS.one}
          changedAt={text(conflict.now.updated_at)}
          mine={conflict.mine}
          theirs={conflict.theirs}
          onClose={() => setConflict(undefined)}
          onChosen={(chosen) => {
            const now = documentOf(conflict.now);
            const wanted = documentOf(applied(now, chosen));
            form.rebase(now, { members: wanted });
            setConflict(undefined);
            form.attempt(() => save(now, wanted));
          }}
        />
      )}
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
