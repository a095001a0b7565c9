import { defineResource } from '../../resource/define-resource.ts';
import { IconFileDescription } from '../../ui/icons.ts';

export const SCHEMAS = defineResource({
  to: '/schemas',
  one: 'schema',
  many: 'schemas',
  title: 'Schema',
  label: 'Schemas',
  about: 'Which traits identities have, and which of them they sign in with.',
  icon: IconFileDescription,
  letter: 'h',
  needs: ['upstreams.read'],
});
