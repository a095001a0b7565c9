import { Center, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { IconInbox, IconSearchOff } from './shell-icons.tsx';

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

/** Either nothing is stored (`no-data`), or the filter hides everything (`no-match`). */
export function EmptyState(props: { kind: 'no-data' | 'no-match'; title: string; text?: string; actions?: ReactNode }) {
  const Icon = props.kind === 'no-data' ? IconInbox : IconSearchOff;
  return (
    <CalmPanel icon={<Icon size={26} stroke={1.6} />} title={props.title}>
      {props.text !== undefined && (
        <Text c="dimmed" size="sm">
          {props.text}
        </Text>
      )}
      {props.actions}
    </CalmPanel>
  );
}
