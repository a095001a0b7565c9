import type { ComponentType } from 'react';
import { bulkActions } from '../../../client/list/bulk-actions.tsx';
import { listPage } from '../../../client/list/list-page.tsx';
import { NoMatch, SearchFields } from '../../../client/list/search.tsx';
import { IconTrash } from '../../../client/ui/shell-icons.tsx';
import { PLANET_PAGES_KEY, planetPageQuery } from './planet-queries.ts';
import { PLANETS } from './planet-resource.ts';

export const PlanetsPage: ComponentType = listPage(PLANETS, {
  about: 'Those of this sun.',
  service: 'The observatory',
  query: planetPageQuery,
  pagesKey: PLANET_PAGES_KEY,
  nameOf: ({ name }) => name,
  columns: {
    name: { label: 'Name', wide: '2fr', medium: '1fr', card: '1fr', cell: ({ name }) => name },
    moons: {
      label: 'Moons',
      wide: '6rem',
      medium: '6rem',
      card: { line: 2, under: 'name' },
      cell: ({ moons }) => String(moons),
    },
  },
  search: (
    <SearchFields
      explanation="Press Enter to search."
      fields={{ name: { label: 'Name', cleared: 'the name', flex: '1 1 8rem' } }}
    />
  ),
  noMatch: ({ name }) =>
    name && <NoMatch title={`Nothing is called ${name}`} text="Names are whole." offers={[EVERYTHING]} />,
  noData: 'They appear in the dark.',
  order: 'From the sun outwards.',
  actions: bulkActions({ leave: { label: 'Leave', icon: IconTrash } }, () => import('./planet-acts.ts')),
});

const EVERYTHING = { label: 'Show all planets', to: { search: {} } };
