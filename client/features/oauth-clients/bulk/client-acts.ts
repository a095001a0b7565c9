import { clientQuery } from '../../../api/oauth-client-record.ts';
import type { BulkAct, BulkSubject } from '../../../resource/bulk/bulk-act.ts';
import { isOwnClient } from '../client-members.ts';
import { CLIENTS } from '../client-resource.ts';
import { DELETION_CONSEQUENCES, deletedNow } from '../delete-clients.ts';
import { CLIENT_PAGES_KEY, type ListedClient } from '../listed-clients.ts';
import { SAVE_CLIENTS } from '../save-clients.ts';

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
