import { clientQuery } from '../../api/oauth-client-record.ts';
import { defineResource } from '../../resource/define-resource.ts';
import { type PagedSearch, pagedSearch } from '../../resource/list/page-step.ts';
import { IconApps } from '../../ui/icons.ts';
import { clientPageQuery } from './listed-clients.ts';

/** Search parameters of the list. */
interface ClientsSearch extends PagedSearch {
  /** Exact name. */
  name?: string;
  /** Exact owner. */
  owner?: string;
}

export const clientsSearch = (search: Record<string, unknown>): ClientsSearch => ({
  ...filter('name', search.name),
  ...filter('owner', search.owner),
  ...pagedSearch(search),
});

const filter = (member: 'name' | 'owner', value: unknown): ClientsSearch => {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? {} : { [member]: text };
};

export const CLIENTS = defineResource({
  to: '/oauth/clients',
  one: 'client',
  many: 'clients',
  title: 'OAuth2 client',
  label: 'OAuth2 clients',
  about: 'Applications that may request tokens: their permissions and secrets.',
  icon: IconApps,
  letter: 'c',
  needs: ['upstreams.read'],
  find: { label: 'Find OAuth2 client by name', search: (text) => ({ name: text }) },
  search: clientsSearch,
  preload: {
    list: (params) => [clientPageQuery(params)],
    record: (id) => (id === '' ? undefined : clientQuery(id)),
  },
});
