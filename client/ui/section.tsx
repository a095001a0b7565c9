import { Group, Paper, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A part of a page with its own heading. @param actions shown next to the heading */
export function Section(props: {
  title: string;
  id?: string;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Paper withBorder p="md" component="section" id={props.id} aria-label={props.title}>
      <Group justify="space-between" wrap="nowrap" mb={props.about === undefined ? 'sm' : 0}>
        <Title order={2} size="h5">
          {props.title}
        </Title>
        {props.actions}
      </Group>
      {props.about !== undefined && (
        <Text size="xs" c="dimmed" mb="sm">
          {props.about}
        </Text>
      )}
      {props.children}
    </Paper>
  );
}
