import type { ResourceName } from '../../resource/resource-name.ts';

export const MESSAGE: ResourceName = {
  one: 'message',
  many: 'messages',
  title: 'Message',
  listTitle: 'Messages',
  service: 'The identity service',
};
