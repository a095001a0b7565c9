import { Text } from '@mantine/core';
import { formatAge } from '../../format/age.ts';
import { useNow } from '../hooks/use-now.ts';

const EVERY_MS = 5_000;

/** What a number covers and its age by the server's clock: "of 20,000 checked, 40 s ago". */
export function Note({ of, asOf, clockAheadMs }: { of?: string; asOf: string; clockAheadMs: number }) {
  const age = formatAge(useNow(EVERY_MS) + clockAheadMs - Date.parse(asOf));
  return (
    <Text size="xs" c="dimmed" data-note>
      {of === undefined ? age : `${of}, ${age}`}
    </Text>
  );
}
