import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { sessionLocationsQuery } from '../../../api/session-locations.ts';
import { NativeSelect } from '../../../ui/elements/field.tsx';
import { Group } from '../../../ui/elements/layout.tsx';
import type { SessionPage } from '../session-queries.ts';
import { LocatedNote } from './located-note.tsx';
import { placeChoices } from './place-choices.ts';
import { pointIn, pointSearch } from './search-params.ts';

const route = getRouteApi('/signed-in/sessions');

/** Filters by state and place. Places are listed by name, because their circles on the map may overlap. */
export function SessionFilter({ located }: { located: SessionPage['located'] }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const point = pointIn({ ...search });
  const { data } = useQuery(sessionLocationsQuery({ active: search.active === 'true' }));
  const choices = placeChoices(data, point);
  return (
    <Group gap="sm">
      <NativeSelect
        aria-label="Which sessions"
        value={search.active ?? ''}
        data={[
          { value: '', label: 'All sessions' },
          { value: 'true', label: 'Active only' },
        ]}
        onChange={({ currentTarget: { value } }) =>
          void navigate({ search: { ...search, active: value === 'true' ? 'true' : undefined }, state: {} })
        }
      />
      <NativeSelect
        aria-label="Where"
        // A fixed width, so that it does not jump when its places arrive.
        flex="1 1 10rem"
        maw="18rem"
        value={choices.findIndex(({ chosen }) => chosen)}
        data={choices.map(({ label }, index) => ({ value: String(index), label }))}
        onChange={({ currentTarget: { value } }) => {
          const { active, page_size } = search;
          void navigate({
            search: { active, page_size, ...pointSearch(choices[Number(value)]?.point) },
            state: {},
          });
        }}
      />
      {located !== undefined && <LocatedNote located={located} />}
    </Group>
  );
}
