import { clientQuery } from '../../api/oauth-client-record.ts';
import { defineResource } from '../../resource/define-resource.ts';
import { timelineSearch } from '../../resource/timeline/timeline-kinds.ts';
import { IconApps } from '../../ui/icons.ts';
import { clientPageQuery } from './list/client-page-query.ts';
import { clientsSearch } from './list/clients-search.ts';

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
  find: { label: 'Find OAuth2 client', search: (q) => ({ q }) },
  search: clientsSearch,
  recordSearch: timelineSearch,
  preload: {
    list: (params) => [clientPageQuery(params)],
    record: (id) => (id === '' ? undefined : clientQuery(id)),
  },
});
