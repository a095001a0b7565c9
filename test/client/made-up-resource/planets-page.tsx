import type { ComponentType } from 'react';
import { bulkActions } from '../../../client/list/bulk-actions.tsx';
import { useList } from '../../../client/list/cursor-list.ts';
import { FilterBar } from '../../../client/list/filters.tsx';
import { listPage } from '../../../client/list/list-page.tsx';
import { NoMatch } from '../../../client/list/search.tsx';
import { IconTrash } from '../../../client/ui/shell-icons.tsx';
import { PLANET_PAGES_KEY, type Planet, type PlanetPageParams, planetPageQuery } from './planet-queries.ts';
import { PLANETS } from './planet-resource.ts';

export const PlanetsPage: ComponentType = listPage(PLANETS, {
  about: 'Those of this sun.',
  service: 'The observatory',
  query: planetPageQuery,
  pagesKey: PLANET_PAGES_KEY,
  nameOf: ({ name }) => name,
  columns: {
    name: { label: 'Name', width: 2, cell: ({ name }) => name },
    moons: {
      label: 'Moons',
      width: '6rem',
      cell: ({ moons }) => String(moons),
    },
  },
  Search: () => <FilterBar param="name" label="Name" cleared="the name" onEnter explanation={() => 'Press Enter.'} />,
  isSearch: ({ name }) => name !== undefined,
  NoMatch() {
    const { params } = useList<Planet, PlanetPageParams>();
    return <NoMatch title={`Nothing is called ${params.name}`} text="Names are whole." offers={[EVERYTHING]} />;
  },
  noData: 'They appear in the dark.',
  order: () => 'From the sun outwards.',
  BulkActions: bulkActions({ leave: { label: 'Leave', icon: IconTrash } }, () => import('./planet-acts.ts')),
});

const EVERYTHING = { label: 'Show all planets', to: { search: {} } };
