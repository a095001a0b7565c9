import { Group } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { FAVOURITES_MAX } from '../../shared/dashboard.ts';
import { type RecordReference, recordKey } from '../../shared/records.ts';
import { changeFavourites, viewsQuery } from '../api/views.ts';
import { IconButton } from '../ui/buttons.tsx';
import { FailureNote } from '../ui/failure-panel.tsx';
import { useSingleFlight } from '../ui/hooks.tsx';
import { createIcon } from '../ui/shell-icons.tsx';
import classes from './record.module.css';

const IconStar = createIcon(
  'M12 17.75l-6.172 3.245l1.179 -6.873l-5 -4.867l6.9 -1l3.086 -6.253l3.086 6.253l6.9 1l-5 4.867l1.179 6.873z',
);

/** A button that makes a record a favourite, which the palette lists, or no longer one. */
export function Star({ record }: { record: RecordReference }) {
  const queryClient = useQueryClient();
  const { data } = useQuery(viewsQuery);
  const { run, failure } = useSingleFlight();
  const others = (all: readonly RecordReference[] = []) => all.filter((one) => recordKey(one) !== recordKey(record));
  const { favourites = [] } = data ?? {};
  const isFavourite = others(favourites).length < favourites.length;
  const toggle = (): void =>
    void run(() =>
      changeFavourites(queryClient, (stored) => {
        if (!isFavourite && others(stored).length >= FAVOURITES_MAX)
          throw new Error(`You have ${FAVOURITES_MAX} favourites, which is the limit. Remove one first.`);
        return isFavourite ? others(stored) : [...others(stored), record];
      }),
    );
  return (
    <Group gap="xs" wrap="nowrap">
      <FailureNote error={failure} />
      <IconButton
        label="Favourite"
        title={isFavourite ? 'Remove from favourites' : 'Add to favourites'}
        size="sm"
        aria-pressed={isFavourite}
        onClick={toggle}
      >
        <IconStar className={isFavourite ? classes.starred : undefined} />
      </IconButton>
    </Group>
  );
}
