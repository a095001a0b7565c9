import type { ReactNode } from 'react';
import { Sign } from '../elements/feedback.tsx';
import { Center, Paper, Stack } from '../elements/layout.tsx';
import { Text, Title } from '../elements/text.tsx';

/** A neutral panel in place of a page or table: empty, forbidden or not found. */
export function CalmPanel({ icon, title, children }: { icon: ReactNode; title: string; children?: ReactNode }) {
  return (
    <Paper withBorder p="xl">
      <Center>
        <Stack align="center" gap="sm" maw="30rem" ta="center">
          <Sign>{icon}</Sign>
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
