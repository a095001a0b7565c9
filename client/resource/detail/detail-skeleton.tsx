import { Group, Paper, Skeleton, Stack } from '@mantine/core';

const FACTS = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Placeholder for header, tabs and facts while they load. */
export function DetailSkeleton({ label }: { label: string }) {
  return (
    <Stack gap="md" role="status" aria-busy aria-label={label}>
      <Skeleton height={18} width="min(24rem, 100%)" />
      <Group gap="sm">
        {FACTS.slice(1).map((tab) => (
          <Skeleton key={tab} height={28} width={90} />
        ))}
      </Group>
      <Paper withBorder p="md">
        <Stack gap="lg">
          {FACTS.map((fact) => (
            <Skeleton key={fact} height={16} />
          ))}
        </Stack>
      </Paper>
    </Stack>
  );
}
