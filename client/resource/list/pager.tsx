import { Button, Group, NativeSelect } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PAGE_SIZE_DEFAULT } from '../../../shared/identities.ts';
import { IconChevronLeft, IconChevronRight } from '../icons.ts';
import { ReadAge } from '../live/read-age.tsx';
import { PAGE_SIZES } from './page-step.ts';
import classes from './pager.module.css';
import type { CursorList } from './use-cursor-list.ts';

type Turning = Pick<CursorList<unknown, never>, 'fetching' | 'pending' | 'readAt' | 'reload' | 'next' | 'previous'>;

export function Pager({ list }: { list: Turning }) {
  const { page_size } = useSearch({ strict: false });
  const navigate = useNavigate();
  const turnTo = (size: number) => void navigate({ to: '.', search: (search) => ({ ...search, page_size: size }) });
  return (
    <Group gap="xs" role="group" aria-label="Paging" data-unprinted>
      <div className={classes.again}>
        <ReadAge list={list} />
      </div>
      <NativeSelect
        size="xs"
        className={classes.size}
        aria-label="Rows per page"
        value={page_size ?? PAGE_SIZE_DEFAULT}
        data={PAGE_SIZES.map((size) => ({ value: String(size), label: `${size} rows` }))}
        onChange={(event) => turnTo(Number(event.currentTarget.value))}
      />
      <PageButton label="Previous page" go={list.previous}>
        <IconChevronLeft /> <span className={classes.words}>Previous</span>
      </PageButton>
      <PageButton label="Next page" go={list.next}>
        <span className={classes.words}>Next</span> <IconChevronRight />
      </PageButton>
    </Group>
  );
}

/** Without a page in this direction it does nothing, but unlike a disabled button keeps focus. */
function PageButton(props: { label: string; go: (() => void) | undefined; children: ReactNode }) {
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={props.label}
      data-disabled={props.go === undefined || undefined}
      aria-disabled={props.go === undefined}
      onClick={() => props.go?.()}
    >
      {props.children}
    </Button>
  );
}
