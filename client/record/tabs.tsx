import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { type LinkProps, useLocation, useMatch, useParams } from '@tanstack/react-router';
import { createContext, type ReactNode, use, useEffect, useRef } from 'react';
import { visibleText } from '../lib/visible-text.ts';
import { LinkButton } from '../ui/buttons.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { IconArrowLeft } from '../ui/icons.tsx';
import classes from './record.module.css';

export type BackLinkProps = Omit<LinkProps, 'children'> & { label: string; children?: ReactNode };

/** @param props.children beside it */
export const BackLink = ({ label, children, ...link }: BackLinkProps) => (
  <Group mb="xs" mih={36}>
    <LinkButton ml={-8} size="xs" variant="subtle" leftSection={<IconArrowLeft size={14} />} {...link}>
      {label}
    </LinkButton>
    {children}
  </Group>
);

export type RecordQuery<T, Raw, Key extends QueryKey> = (id: string) => UseQueryOptions<Raw, Error, T, Key>;

/**
 * The record of the current page. Only for its tabs, which render once it has loaded. @param query the query of the
 * page
 */
export function useRecord<T, Raw, Key extends QueryKey>(query: RecordQuery<T, Raw, Key>): T {
  const { id = '' } = useParams({ strict: false });
  const { data } = useQuery({ ...query(id), enabled: false });
  if (data === undefined) throw new Error('useRecord is only for the tabs of a record');
  return data;
}

/** The tabs that the record page renders, by route path. */
export const RecordTabs = createContext<ReadonlyMap<string, ReactNode>>(new Map());

/** The tab of this route, if the record page renders it. */
export function RecordTab() {
  const { fullPath }: { fullPath: string } = useMatch({ strict: false });
  return use(RecordTabs).get(fullPath.replace(/\/$/, ''));
}

/** Item counts by tab path; undefined reserves space while a count is loading. */
export type TabCounts = Readonly<Record<string, string | undefined>>;

export const tabClass = classes.tab;

export function TabRow({ label, children }: { label: string; children: ReactNode }) {
  const nav = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // On a narrow screen the row scrolls, so keep the open tab visible.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path decides which tab is the current one
  useEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>('[aria-current=page]');
    if (current) nav.current?.scrollTo({ left: current.offsetLeft - nav.current.offsetLeft - 24 });
  }, [path]);
  return (
    <nav className={classes.tabs} aria-label={label} ref={nav}>
      {children}
    </nav>
  );
}

/** Two columns on a wide screen, otherwise stacked. @param props.wide which column is wider */
export const Columns = (props: { wide: 'first' | 'second'; first: ReactNode; second: ReactNode }) => (
  <div className={classes.columns} data-wide={props.wide}>
    <Stack gap="md">{props.first}</Stack>
    <Stack gap="md">{props.second}</Stack>
  </div>
);

export const Cards = (props: { children: ReactNode }) => (
  <SimpleGrid minColWidth="min(100%, 24rem)" autoFlow="auto-fit" {...props} />
);

/** Facts below a record's heading: state, owner, id. @param props.note beside the heading */
export const HeadingFacts = ({ note, children }: { note?: ReactNode; children?: ReactNode }) => (
  <>
    {note}
    <span className={classes.facts}>{children}</span>
  </>
);

/** A fact with a button that copies `text`; displays `children`, or else the text in monospace. */
export const CopyableFact = ({ what, text, children }: { what: string; text: string; children?: ReactNode }) => (
  <Group component="span" gap={2} wrap="nowrap" miw={0} data-id={children === undefined || undefined}>
    {children === undefined ? (
      <Text span size="xs" ff="monospace">
        {visibleText(text)}
      </Text>
    ) : (
      <span>{children}</span>
    )}
    <CopyButton what={what} read={() => text} />
  </Group>
);
