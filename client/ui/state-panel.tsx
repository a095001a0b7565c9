import { Center, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { IconInbox, IconLock, IconMapOff, IconSearch, IconSearchOff } from './icons.tsx';
import { PageHeading } from './layout.tsx';

const ICONS = {
  'no-access': IconLock,
  /** Nothing is stored. */
  'no-data': IconInbox,
  /** The filters hide everything. */
  'no-match': IconSearchOff,
  'no-page': IconMapOff,
  /** Nothing has been searched for yet. */
  search: IconSearch,
} as const;

/** A neutral panel in place of a page or table. */
export function StatePanel(props: {
  kind: keyof typeof ICONS;
  title: string;
  text?: string | undefined;
  actions?: ReactNode;
}) {
  const Icon = ICONS[props.kind];
  return (
    <Paper withBorder p="xl">
      <Center>
        <Stack align="center" gap="sm" maw="30rem" ta="center">
          <ThemeIcon variant="light" size={48} radius="xl">
            <Icon size={26} stroke={1.6} />
          </ThemeIcon>
          <Title order={2} size="h4">
            {props.title}
          </Title>
          {props.text !== undefined && (
            <Text c="dimmed" size="sm">
              {props.text}
            </Text>
          )}
          {props.actions}
        </Stack>
      </Center>
    </Paper>
  );
}

/** In place of what the operator's role does not allow; the server's words for it, without a request. */
export const NoAccessPanel = () => (
  <StatePanel kind="no-access" title="Admin access required." text="Contact your administrator to request access." />
);

/** A page that the operator's role does not allow. */
export function NoAccessPage(props: { title: string; about?: string | undefined; actions?: ReactNode }) {
  return (
    <>
      <PageHeading {...props} />
      <NoAccessPanel />
    </>
  );
}
