import { queryOptions } from '@tanstack/react-query';
import type { ParamsOf } from '../../../resource/list/page-step.ts';
import { CLIENT_PAGES_KEY, plainClients } from '../listed-clients.ts';
import type { ClientsSearch } from './clients-search.ts';
import { foundClients } from './found-clients.ts';

export type ClientPageParams = ParamsOf<ClientsSearch>;

/** A page of all clients, or of those that match. */
export const clientPageQuery = (params: ClientPageParams) =>
  queryOptions({
    queryKey: [...CLIENT_PAGES_KEY, params],
    queryFn: async ({ signal }) => {
      const { q, pageSize, token } = params;
      if (q === undefined) return plainClients({}, pageSize, token, signal);
      return foundClients(q, pageSize, token, signal);
    },
    retry: false,
  });
