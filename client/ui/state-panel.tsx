import { Center, Paper, Stack, ThemeIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Capability } from '../../shared/capabilities.ts';
import { holders, isForAdministrators } from '../deployment.ts';
import { Dimmed, PageHeading } from './layout.tsx';
import { IconInbox, IconLock, IconMapOff, IconSearch, IconSearchOff } from './shell-icons.tsx';

const ICONS = {
  'no-access': IconLock,
  /** The list is empty. */
  'no-data': IconInbox,
  /** The filters exclude everything. */
  'no-match': IconSearchOff,
  'no-page': IconMapOff,
  /** Before the first search. */
  search: IconSearch,
} as const;

/** A neutral panel that replaces a page or table. */
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
          <ThemeIcon variant="light" size={48}>
            <Icon size={26} stroke={1.6} />
          </ThemeIcon>
          <Title order={2}>{props.title}</Title>
          {props.text !== undefined && <Dimmed>{props.text}</Dimmed>}
          {props.actions}
        </Stack>
      </Center>
    </Paper>
  );
}

/** For a missing permission, without a request. @param props.needs absent for pages of administrators */
export const NoAccessPanel = ({ needs = ['upstreams.write'] }: { needs?: readonly Capability[] | undefined }) => (
  <StatePanel
    kind="no-access"
    title={isForAdministrators(needs) ? 'Admin access required.' : `Only ${holders(needs)} have access.`}
    text="Contact your administrator to request access."
  />
);

/**
 * A page with its heading.
 * @param props.open whether the operator may see the content
 * @param props.needs what they need for that; absent for pages of administrators
 */
export function GuardedPage(props: {
  open: boolean;
  needs?: readonly Capability[];
  title: string;
  about?: string | undefined;
  actions?: ReactNode;
  children?: ReactNode;
}) {
  const { open, needs, children, ...heading } = props;
  return (
    <>
      <PageHeading {...heading} />
      {open ? children : <NoAccessPanel needs={needs} />}
    </>
  );
}
