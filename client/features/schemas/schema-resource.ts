import type { ResourceName } from '../../resource/resource-name.ts';

export const SCHEMA: ResourceName = {
  one: 'schema',
  many: 'schemas',
  title: 'Schema',
  listTitle: 'Schemas',
  service: 'The identity service',
};
