import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type JsonObject, texts } from '../../../shared/json.ts';
import { clientPath, clientQuery, type OauthClient, readClient } from '../../api/oauth-clients.ts';
import { deleteAt, unlessGone } from '../../api/request.ts';
import { shortened } from '../../lib/visible-text.ts';
import type { BulkAct, BulkSubject } from '../../list/bulk-run.ts';
import { type ReadPage, saveFirst } from '../../list/export.tsx';
import { CANNOT_BE_UNDONE, ConfirmDialog, type Consequences } from '../../ui/confirm-dialog.tsx';
import { SaveFirstField } from '../../ui/save-first-field.tsx';
import { toast } from '../../ui/toasts.tsx';
import { clientName, isOwnClient } from './client-members.ts';
import { CLIENT_PAGES_KEY, CLIENTS, type ListedClient } from './client-resource.ts';

const SAVE_CLIENTS = saveFirst({
  about:
    'One line of JSON per client. To create a client again, paste its line under “JSON” in the form for a new client. The file contains no secrets, tokens or consents: a client that needs a secret gets a new one.',
  subject: 'oauth-clients',
  writer: { start: '', write: (client: OauthClient) => `${JSON.stringify(portableClient(client))}\n` },
  pagesOf,
});

const SET_BY_SERVER: readonly string[] = ['created_at', 'updated_at', 'client_secret_expires_at'];

/** A client as the new-client form accepts it, without a secret, because the OAuth server returns none. */
const portableClient = (client: OauthClient): JsonObject =>
  Object.fromEntries(Object.entries(client).filter(([name, value]) => value !== null && !SET_BY_SERVER.includes(name)));

const CONCURRENCY = 4;

/** Each page has a few clients, read in parallel. Skips those that no longer exist. */
function pagesOf(ids: readonly string[]): ReadPage<OauthClient> {
  return async (token, signal) => {
    const start = Number(token ?? 0);
    const end = start + CONCURRENCY;
    const clients = await Promise.all(ids.slice(start, end).map((id) => readClient(id, signal).catch(unlessGone)));
    const rows = clients.filter((client) => client !== undefined);
    return { rows, leftOut: clients.length - rows.length, next: end < ids.length ? String(end) : undefined };
  };
}

const DELETION: Consequences = {
  consequence: 'Applications can no longer sign anyone in or get tokens with a deleted client.',
  details: [
    'Tokens and consents are deleted with the client. The OAuth server does not say how many there are.',
    'Settings and secret are permanently deleted. Another client can then use the client ID.',
    CANNOT_BE_UNDONE,
  ],
};

export const ACTS: Record<'delete', BulkAct<ListedClient>> = {
  delete: {
    title: 'Delete',
    running: 'Deleting',
    done: 'deleted',
    ...DELETION,
    final: true,
    grave: true,
    saveFirst: SAVE_CLIENTS,
    warning: (clients) =>
      clients.some(({ redirectUris }) => isOwnClient(redirectUris))
        ? 'One of them is this dashboard’s own client: without it, nobody can sign in here.'
        : undefined,
    act: async ({ id }, reason) => ((await deleteAt(clientPath(id), reason)) ? undefined : 'It was already deleted.'),
  },
};

export const SUBJECT: BulkSubject<ListedClient> = {
  name: CLIENTS,
  nameOf: ({ id, name }) => (name === '' ? id : `${name} (${id})`),
  nameColumn: 'client',
  invalidate(queryClient, clients) {
    void queryClient.invalidateQueries({ queryKey: CLIENT_PAGES_KEY });
    for (const { id } of clients) void queryClient.invalidateQueries({ queryKey: clientQuery(id).queryKey });
  },
};

export function DeleteClient({ client, onClose }: { client: OauthClient; onClose: () => void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [saving, setSaving] = useState(false);
  const name = shortened(clientName(client));
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      warning={
        isOwnClient(texts(client.redirect_uris))
          ? 'This is the dashboard’s own client: without it, nobody can sign in here, not even you.'
          : undefined
      }
      {...DELETION}
      typed={client.client_id}
      action="Delete client"
      onClose={onClose}
      act={async (reason) => {
        if (saving) await SAVE_CLIENTS.save([client.client_id], new AbortController().signal, () => {});
        await deleteAt(clientPath(client.client_id), reason);
        await queryClient.invalidateQueries({ queryKey: CLIENT_PAGES_KEY });
        await navigate({ to: '/oauth/clients' });
        queryClient.removeQueries({ queryKey: clientQuery(client.client_id).queryKey });
        toast(`Deleted ${name}`);
      }}
    >
      <SaveFirstField about={SAVE_CLIENTS.about} chosen={saving} onChange={setSaving} />
    </ConfirmDialog>
  );
}
