import { Box, Group, Text } from '@mantine/core';
import { type UseQueryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { type HistoryState, type LinkProps, useLocation, useNavigate, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CursorPage } from '../api/cursor-page.ts';
import { digits } from '../lib/format-count.ts';
import { nextCursor } from '../list/cursor-list.ts';
import { type PageCursor, pageParams, type ResourceDefinition } from '../list/resource.ts';
import { IconButton } from '../ui/buttons.tsx';
import { FailureNote } from '../ui/failure-panel.tsx';
import { usePageKeys, useSingleFlight } from '../ui/hooks.tsx';
import { IconChevronLeft, IconChevronRight } from '../ui/shell-icons.tsx';
import { BackLink } from './tabs.tsx';

/** The query of a list's pages. */
export type PagesOfList = (params: never) => object;

interface BackProps {
  resource: Pick<ResourceDefinition, 'to' | 'label' | 'one' | 'many' | 'search'>;
  list?: PagesOfList | undefined;
  id: string;
  /** Beside the steps. */
  children?: ReactNode;
}

/** A link to the page of the list that this record was opened from, or else to the first page, and steps through it. */
export function BackToList({ resource, list, id, children }: BackProps) {
  const from = useLocation({ select: ({ state }) => state.fromList });
  return (
    <BackLink
      label={resource.label}
      to={resource.to as LinkProps['to']}
      search={(from?.search ?? {}) as never}
      state={from === undefined ? {} : { pages: from.pages, scrolled: from.scrolled }}
      // The list restores its own scroll position.
      resetScroll={from === undefined}
    >
      <Group gap="xs" ml="auto">
        {from && list && <Steps key={id} resource={resource} list={list} id={id} from={from} />}
        {children}
      </Group>
    </BackLink>
  );
}

type Row = { id: string };

/** "‹ 3 of 63 ›", also with `j` and `k`. */
function Steps(
  props: Required<Omit<BackProps, 'children'>> & { list: PagesOfList; from: NonNullable<HistoryState['fromList']> },
) {
  const { list, id, from } = props;
  const { one, many, search: parse } = props.resource;
  const { pages } = from;
  const queryOf = (to: readonly PageCursor[]) =>
    list(pageParams(parse?.(from.search) ?? {}, to) as never) as UseQueryOptions<unknown, Error, CursorPage<Row>>;
  // Only from the cache: to read the page after a reload would leave a search record.
  const { data: page } = useQuery({ ...queryOf(pages), enabled: false });
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const router = useRouter();
  const { run, pending, failure } = useSingleFlight();
  // On the same tab.
  const open = (row: Row, fromList: typeof from): void =>
    void navigate({ to: '.', params: { id: row.id }, search: true, state: { fromList } } as never);
  const turn = (to: readonly PageCursor[], index: 0 | -1) =>
    run(async () => {
      const { select, ...query } = queryOf(to);
      const { href } = router.latestLocation;
      const read = await queryClient.fetchQuery({ ...query, staleTime: Number.POSITIVE_INFINITY } as never);
      const row = (select?.(read) ?? (read as CursorPage<Row>)).rows.at(index);
      if (row === undefined) throw new Error(`There are no ${many} on the next page.`);
      if (router.latestLocation.href === href) open(row, { ...from, pages: to, scrolled: 0 });
    });

  const rows = page?.rows ?? [];
  const at = rows.findIndex((row) => row.id === id);
  const before = pages.at(-1)?.before ?? 0;
  const cursor = page && nextCursor({ page, pages });
  const step = (by: 1 | -1) => {
    const row = rows[at + by];
    const to = by === 1 ? cursor && [...pages, cursor] : pages.length > 0 ? pages.slice(0, -1) : undefined;
    const turned = to && (() => void turn(to, by === 1 ? 0 : -1));
    const onClick = at === -1 || pending ? undefined : row === undefined ? turned : () => open(row, from);
    return { onClick, idle: onClick === undefined, label: `${by === 1 ? 'Next' : 'Previous'} ${one}` };
  };
  const [previous, next] = [step(-1), step(1)];
  usePageKeys((key) => ({ j: next, k: previous })[key]?.onClick);
  if (at === -1) return null;
  const number = digits(before + at + 1);
  const total = page?.matches?.total ?? (cursor === undefined ? before + rows.length : undefined);
  const isKnown = total !== undefined && page?.matches?.complete !== false;
  return (
    <>
      <Group gap={2} role="group" aria-label={`Rows of the list of ${many}`}>
        <IconButton {...previous} aria-keyshortcuts="k">
          <IconChevronLeft />
        </IconButton>
        {/* As wide for every row of the page. */}
        <Text span size="xs" c="dimmed" ta="center" miw={`${2 * digits(total ?? before + rows.length).length + 3}ch`}>
          {isKnown ? `${number} of ${digits(total)}` : number}
        </Text>
        <IconButton {...next} aria-keyshortcuts="j">
          <IconChevronRight />
        </IconButton>
      </Group>
      <Box w="100%" hidden={failure === undefined}>
        <FailureNote error={failure} />
      </Box>
    </>
  );
}
