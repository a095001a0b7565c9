import { defineResource } from '../../../client/resource/define-resource.ts';
import { IconWorld } from '../../../client/resource/icons.ts';
import { type PagedSearch, pagedSearch } from '../../../client/resource/list/page-step.ts';

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
