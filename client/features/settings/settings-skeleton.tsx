import { Paper, Skeleton, Stack } from '@mantine/core';

const ROWS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

export function SettingsSkeleton() {
  return (
    <Stack gap="md" aria-busy aria-label="Loading the settings">
      <Skeleton height={36} width="min(28rem, 100%)" />
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
