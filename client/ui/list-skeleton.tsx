import { Paper, Skeleton, Stack } from '@mantine/core';

/** In the place of a list with a search field above it, until its rows arrive. */
export function ListSkeleton({ label, rows }: { label: string; rows: number }) {
  return (
    <Stack gap="md" role="status" aria-busy aria-label={label}>
      <Skeleton height={36} width="min(28rem, 100%)" />
      <Paper withBorder p="md">
        <Stack gap="lg">
          {Array.from({ length: rows }, (_, row) => row).map((row) => (
            <Skeleton key={row} height={18} />
          ))}
        </Stack>
      </Paper>
    </Stack>
  );
}
