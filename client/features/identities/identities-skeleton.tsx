import { Paper, Skeleton, Stack } from '@mantine/core';

const ROWS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'];

export function IdentitiesSkeleton() {
  return (
    <Stack gap="md" aria-busy aria-label="Loading the identities">
      <Skeleton height={30} width="min(24rem, 100%)" />
      <Paper withBorder p="md">
        <Stack gap="lg">
          {ROWS.map((row) => (
            <Skeleton key={row} height={18} />
          ))}
        </Stack>
      </Paper>
    </Stack>
  );
}
