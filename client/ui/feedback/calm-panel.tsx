import { Center, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A neutral panel in place of a page or table: empty, forbidden or not found. */
export function CalmPanel({ icon, title, children }: { icon: ReactNode; title: string; children?: ReactNode }) {
  return (
    <Paper withBorder p="xl">
      <Center>
        <Stack align="center" gap="sm" maw="30rem" ta="center">
          <ThemeIcon variant="light" size={48} radius="xl">
            {icon}
          </ThemeIcon>
          <Title order={2} size="h4">
            {title}
          </Title>
          {typeof children === 'string' ? (
            <Text c="dimmed" size="sm">
              {children}
            </Text>
          ) : (
            children
          )}
        </Stack>
      </Center>
    </Paper>
  );
}
