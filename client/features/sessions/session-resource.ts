import type { ResourceName } from '../../resource/resource-name.ts';

export const SESSION: ResourceName = {
  one: 'session',
  many: 'sessions',
  title: 'Session',
  listTitle: 'Sessions',
  service: 'The identity service',
};
