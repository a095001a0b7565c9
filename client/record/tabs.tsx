import { Group, Text } from '@mantine/core';
import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { Link, type LinkProps, useLocation, useMatch, useParams } from '@tanstack/react-router';
import { type ComponentProps, type ComponentType, createContext, type ReactNode, use, useEffect, useRef } from 'react';
import { visibleText } from '../lib/visible-text.ts';
import { CopyButton } from '../ui/buttons.tsx';
import type { JsonText } from '../ui/facts.tsx';
import classes from './record.module.css';

export type RecordQuery<T, Raw, Key extends QueryKey> = (id: string) => UseQueryOptions<Raw, Error, T, Key>;

/** The record of this page, for its tabs, which are rendered only once it has loaded. @param query the page's */
export function useRecord<T, Raw, Key extends QueryKey>(query: RecordQuery<T, Raw, Key>): T {
  const { id = '' } = useParams({ strict: false });
  const { data } = useQuery({ ...query(id), enabled: false });
  if (data === undefined) throw new Error('useRecord is only for the tabs of a record');
  return data;
}

/** The tabs that a record's page renders, by the path of their route, and what the JSON tab shows. */
export const RecordContext = createContext<
  { json: ComponentProps<typeof JsonText>; tabs: ReadonlyMap<string, ComponentType | undefined> } | undefined
>(undefined);

/** The tab of this route, if the record's page renders it. */
export function RecordTab() {
  const { fullPath }: { fullPath: string } = useMatch({ strict: false });
  const Tab = use(RecordContext)?.tabs.get(fullPath.replace(/\/$/, ''));
  return Tab && <Tab />;
}

/** How many things a tab has, by its path; undefined reserves space until that is known. */
export type TabCounts = Readonly<Record<string, string | undefined>>;

/** The tabs of a detail page, which are its child routes. @param of the page's path, which is also the first tab's */
export const DetailTabs = (props: {
  label: string;
  of: string;
  id: string;
  tabs: readonly (readonly [path: string, label: string])[];
  counts: TabCounts;
}) => (
  <TabRow label={props.label}>
    {props.tabs.map(([path, label], index) => (
      <Link
        key={path}
        {...({ to: `${props.of}${path}`, params: { id: props.id } } as LinkProps)}
        // Keeps the link back to the list, which is part of the history entry.
        state={(current) => current}
        activeOptions={{ exact: index === 0, includeSearch: false }}
        className={tabClass}
        aria-description={props.counts[path]}
        preload={false}
      >
        {label}
        {path in props.counts && (
          <span className={classes.count} aria-hidden>
            {props.counts[path]}
          </span>
        )}
      </Link>
    ))}
  </TabRow>
);

/** For each link in the row. */
export const tabClass = classes.tab;

/** Links to tabs that are routes. */
export function TabRow({ label, children }: { label: string; children: ReactNode }) {
  const nav = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // On a narrow screen the row scrolls: keep the open tab visible.
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

/** Facts below the heading of a record: its state, owner, id. */
export const HeadingFacts = ({ children }: { children: ReactNode }) => (
  <Group component="span" display="inline-flex" gap="0.125rem 1rem">
    {children}
  </Group>
);

/** A fact with a button that copies `text`; shown as `children`, or else as the text in monospace. */
export const CopyableFact = ({ label, text, children }: { label: string; text: string; children?: ReactNode }) => (
  <span className={classes.copyable}>
    {children === undefined ? (
      <Text span size="xs" ff="monospace">
        {visibleText(text)}
      </Text>
    ) : (
      <span>{children}</span>
    )}
    <CopyButton label={label} read={() => text} />
  </span>
);
