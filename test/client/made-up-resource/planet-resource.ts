import { type PagedSearch, pagedSearch } from '../../../client/list/cursor-list.ts';
import { defineResource } from '../../../client/list/resource.ts';
import { IconWorld } from '../../../client/ui/icons.tsx';

interface PlanetsSearch extends PagedSearch {
  name?: string;
}

export const PLANETS = defineResource({
  // The app's router does not have it, so that the compiler knows none of its tabs.
  to: '/planets' as string,
  one: 'planet',
  many: 'planets',
  title: 'Planet',
  label: 'Planets',
  about: 'Where else one could live.',
  icon: IconWorld,
  letter: 'p',
  needs: ['identities.read'],
  search: ({ name, ...search }): PlanetsSearch => ({
    ...(typeof name === 'string' && name !== '' ? { name } : {}),
    ...pagedSearch(search),
  }),
});
