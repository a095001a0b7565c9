import type { ResourceName } from '../../resource/resource-name.ts';

export const IDENTITY: ResourceName = {
  one: 'identity',
  many: 'identities',
  title: 'Identity',
  listTitle: 'Identities',
  service: 'The identity service',
};
