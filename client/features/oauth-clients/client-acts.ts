import type { JsonObject } from '../../../shared/json.ts';
import { clientQuery, deleteClient, type OauthClient, readClient } from '../../api/oauth-clients.ts';
import { RequestError } from '../../api/request.ts';
import type { BulkAct, BulkSubject } from '../../list/bulk-run.ts';
import type { ReadPage } from '../../list/export.tsx';
import { saveFirst } from '../../list/save-first.tsx';
import { CANNOT_BE_UNDONE } from '../../ui/confirm-dialog.tsx';
import { isOwnClient } from './client-members.ts';
import { CLIENT_PAGES_KEY, CLIENTS, type ListedClient } from './client-resource.ts';

/** Made by the OAuth server; secrets are never among what is read. */
const SERVER_MADE: readonly string[] = ['created_at', 'updated_at', 'client_secret_expires_at'];
const AT_ONCE = 4;

/** A client as the form for a new one takes it. */
export const portableClient = (client: OauthClient): JsonObject =>
  Object.fromEntries(Object.entries(client).filter(([name, value]) => value !== null && !SERVER_MADE.includes(name)));

const pagesOf =
  (ids: readonly string[]): ReadPage<OauthClient> =>
  async (token, signal) => {
    const start = Number(token ?? 0);
    const asked = ids.slice(start, start + AT_ONCE);
    const read = await Promise.all(asked.map((id) => readClient(id, signal).catch(goneIsFine)));
    const end = start + AT_ONCE;
    return { rows: read.filter((client) => client !== undefined), next: end < ids.length ? String(end) : undefined };
  };

function goneIsFine(error: unknown): undefined {
  if (!(error instanceof RequestError && error.status === 404)) throw error;
}

/** Clients before their deletion. */
export const SAVE_CLIENTS = saveFirst({
  about:
    'One line of JSON for each client, which the form for a new client takes under “JSON”. Secrets are not in it: a client that is created again gets a new one. Tokens and consents are not in it either.',
  subject: 'oauth-clients',
  writer: { start: '', write: (client: OauthClient) => `${JSON.stringify(portableClient(client))}\n` },
  pagesOf,
});

export const DELETION_CONSEQUENCES: readonly string[] = [
  'The application can no longer sign anyone in or get tokens.',
  'Its tokens and the consents that people gave it are deleted, too. The OAuth server cannot say how many there are.',
  'Its settings and secret are permanently deleted; the client id can then be used by somebody else.',
  CANNOT_BE_UNDONE,
];

/** @returns false if it was already deleted */
export async function deletedNow(id: string): Promise<boolean> {
  try {
    await deleteClient(id);
    return true;
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) return false;
    throw error;
  }
}

export const ACTS: Record<'delete', BulkAct<ListedClient>> = {
  delete: {
    label: 'Delete',
    title: 'Delete',
    running: 'Deleting',
    done: 'deleted',
    consequences: DELETION_CONSEQUENCES,
    final: true,
    grave: true,
    saveFirst: SAVE_CLIENTS,
    warning: (clients) =>
      clients.some(({ redirectUris }) => isOwnClient(redirectUris))
        ? 'One of them is this dashboard’s own client: without it, nobody can sign in here any more.'
        : undefined,
    act: async ({ id }) => ((await deletedNow(id)) ? undefined : 'It was already deleted.'),
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
