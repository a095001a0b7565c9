import { ActionIcon, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { clockTime, exactly } from '../../lib/format-time.ts';
import { createStore } from '../../lib/store.ts';
import { IconRefresh } from '../../ui/shell-icons.tsx';

/** When the data of each widget was read, by the server's clock in milliseconds since the epoch. */
const readings = createStore<ReadonlyMap<string, number>>(new Map());

/** A widget states the age of its data if it is this much older than the newest data on the page. */
const MUCH_OLDER_MS = 5 * 60_000;

const newestOf = (all: ReadonlyMap<string, number>): number => Math.max(...all.values());

/** A line at the bottom of a widget that says what its numbers cover. Their age counts for the page's “As of”. */
export function Caption({ asOf: at, children }: { asOf: number; children: string | undefined }) {
  const id = useId();
  const isMuchOlder = newestOf(readings.use()) - at >= MUCH_OLDER_MS;
  useEffect(() => {
    readings.set(new Map(readings.get()).set(id, at));
    return () => readings.set(new Map([...readings.get()].filter(([other]) => other !== id)));
  }, [id, at]);
  const own = isMuchOlder ? `as of ${clockTime(at, Date.now())}` : undefined;
  const text = [children, own].filter(Boolean).join(', ');
  if (text === '') return null;
  return (
    <Text size="xs" c="dimmed" truncate title={text} data-caption>
      {text}
    </Text>
  );
}

/** The age of the oldest data on the page, without widgets that state their own. */
export function PageAge() {
  const all = readings.use();
  const queryClient = useQueryClient();
  const [refreshing, setRefreshing] = useState(false);
  const newest = newestOf(all);
  const oldest = new Date(Math.min(...[...all.values()].filter((at) => newest - at < MUCH_OLDER_MS)));
  async function refresh(): Promise<void> {
    setRefreshing(true);
    // All data except the session, which is read only on load and near its end.
    await queryClient.refetchQueries({ type: 'active', predicate: ({ queryKey }) => queryKey[0] !== 'session' });
    setRefreshing(false);
  }
  return (
    <Group gap="xs" wrap="nowrap" data-unprinted={all.size === 0 || undefined}>
      {all.size > 0 && (
        <Text span size="sm" c="dimmed" title={exactly(oldest)} data-page-age>
          As of {clockTime(oldest.getTime(), Date.now())}
        </Text>
      )}
      <ActionIcon
        variant="default"
        size="sm"
        aria-label="Refresh"
        title="Refresh"
        loading={refreshing}
        onClick={() => void refresh()}
      >
        <IconRefresh />
      </ActionIcon>
    </Group>
  );
}
