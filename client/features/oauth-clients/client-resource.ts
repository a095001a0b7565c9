import type { ResourceName } from '../../resource/resource-name.ts';

export const CLIENT: ResourceName = {
  one: 'client',
  many: 'clients',
  title: 'OAuth2 client',
  listTitle: 'OAuth2 clients',
  service: 'The OAuth server',
};
