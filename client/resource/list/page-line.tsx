import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { digits } from '../../format/counted.ts';
import { useNow } from '../../ui/hooks/use-now.ts';
import { type CountedTotal, formatTotal } from './format-page.ts';
import classes from './pager.module.css';
import type { PageParams, ShownPage } from './shown-page.ts';

const AGE_STEP_MS = 10_000;

/** Where one is: page and rows, announced when they change; the total and its age tick beside what is announced. */
export const PageLine = ({ status, total }: { status: string; total: ReactNode }) => (
  <Text size="sm" c="dimmed" component="div" me="auto" className={classes.line}>
    <span role="status">{status}</span>
    {total}
  </Text>
);

/** For the page line of a resource whose service counts. @param pending nothing has come, and nothing has failed, yet */
export function Total({ counted, pending }: { counted: CountedTotal | undefined; pending: boolean }) {
  const now = useNow(AGE_STEP_MS);
  return <span>, {pending ? 'counting…' : formatTotal(counted, now)}</span>;
}

/** For a resource whose service counts nothing: only who stands on the last page knows how many there are. */
export function TotalAtEnd({ shown }: { shown: ShownPage<unknown, PageParams> | undefined }) {
  if (shown === undefined || shown.page.next !== undefined) return <Total counted={undefined} pending={false} />;
  return <span>, {digits((shown.pages.at(-1)?.before ?? 0) + shown.page.rows.length)} in total</span>;
}
