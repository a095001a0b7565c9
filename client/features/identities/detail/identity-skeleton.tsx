import { Group, Paper, Skeleton, Stack } from '@mantine/core';

const FACTS = ['a', 'b', 'c', 'd', 'e', 'f'];

export function IdentitySkeleton() {
  return (
    <Stack gap="md" aria-busy aria-label="Loading the identity">
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
