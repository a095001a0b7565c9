import { useQuery } from '@tanstack/react-query';
import { sessionLocationsQuery } from '../../../api/session-locations.ts';
import type { FiltersProps } from '../../../resource/list/filter-bar.tsx';
import { Filters } from '../../../resource/search/filters.tsx';
import { parseSessionsSearch, pointIn, pointSearch } from '../session-question.ts';
import { describeFilters } from './describe-filters.ts';
import { placeChoices } from './place-choices.ts';

const EVERYWHERE = { lat: undefined, lng: undefined, unknown: undefined };

/** State, place and device. Places are listed by name, because their circles on the map may overlap. */
export function SessionFilters(props: FiltersProps) {
  const search = parseSessionsSearch(props.search);
  const { data } = useQuery(sessionLocationsQuery({ active: search.active === 'true' }));
  const places = placeChoices(data, pointIn({ ...search }));
  // The first one, everywhere, is no filter.
  const placeValue = (index: number): string => (index === 0 ? '' : String(index));
  const filters = [
    {
      name: 'active',
      label: 'State',
      choices: [
        { value: '', label: 'Any' },
        { value: 'true', label: 'Active' },
      ],
    },
    {
      name: 'place',
      label: 'Place',
      choices: places.map(({ label }, index) => ({ value: placeValue(index), label })),
    },
    { name: 'device', label: 'Device', example: 'Chrome on macOS' },
  ];
  return (
    <Filters
      {...props}
      search={{ ...search, place: placeValue(places.findIndex(({ chosen }) => chosen)) }}
      chips={describeFilters(search, data).filter(({ name }) => name !== 'q')}
      filters={filters}
      onChange={(values, replace) => {
        const { place, ...others } = values;
        const point = 'place' in values && { ...EVERYWHERE, ...pointSearch(places[Number(place)]?.point) };
        props.onChange({ ...others, ...point }, replace);
      }}
    />
  );
}
