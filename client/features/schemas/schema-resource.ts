import { defineResource } from '../../list/resource.ts';
import { IconFileDescription } from '../../ui/shell-icons.tsx';

export const SCHEMAS = defineResource({
  to: '/schemas',
  one: 'schema',
  many: 'schemas',
  title: 'Schema',
  label: 'Schemas',
  about: 'The traits that identities have, and those used to sign in.',
  icon: IconFileDescription,
  letter: 'h',
  needs: ['identities.read'],
});
