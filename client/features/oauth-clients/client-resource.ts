import { clientQuery } from '../../api/oauth-clients.ts';
import { defineResource, timelineSearch } from '../../list/resource.ts';
import { IconApps } from '../../ui/shell-icons.tsx';
import { clientPageQuery, clientsSearch } from './client-queries.ts';

export const KIND_NAMES = ['web', 'browser', 'native', 'machine', 'device'] as const;
export type KindName = (typeof KIND_NAMES)[number];

/** The kind of application in a URL; undefined if it names none. */
export const kindIn = (value: unknown): KindName | undefined => KIND_NAMES.find((name) => name === value);

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
