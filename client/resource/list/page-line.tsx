import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { type CountIn, useCounted } from '../../api/counted.ts';
import type { Matches } from '../../api/cursor-page.ts';
import { digits } from '../../format/counted.ts';
import { timeOfDay } from '../../format/english-time.ts';
import { useNow } from '../../ui/hooks/use-now.ts';
import { type CountedTotal, formatReading, formatTotal } from './format-page.ts';
import classes from './pager.module.css';
import type { PageParams, ShownPage } from './shown-page.ts';

const AGE_STEP_MS = 10_000;

/** Page and rows, announced when they change, and the total, whose age ticks and is not announced. */
export const PageLine = ({ status, total }: { status: string; total: ReactNode }) => (
  <Text size="sm" c="dimmed" component="div" me="auto" className={classes.line}>
    <span role="status">{status}</span>
    {total}
  </Text>
);

/** Total for a service that counts. @param pending neither a result nor an error yet */
export function Total({ counted, pending }: { counted: CountedTotal | undefined; pending: boolean }) {
  const now = useNow(AGE_STEP_MS);
  return <span>, {pending ? 'counting…' : formatTotal(counted, now)}</span>;
}

/** A total of which an index knows all. */
export function TotalAsOf({ total, as_of, what }: { total: number; as_of: string; what: string }) {
  const now = useNow(AGE_STEP_MS);
  const reading = formatReading({ total, complete: true, asOf: as_of }, what, null, now);
  return (
    <span>
      , {digits(total)} in total{reading}
    </span>
  );
}

/**
 * As of when an index knows the store, and how far it has read it.
 * @param what it knows: `people`
 * @param all how many there are in the store, if known
 */
export function Reading(props: { matches: Matches; what: string; all: number | null }) {
  const now = useNow(AGE_STEP_MS);
  return <span>{formatReading(props.matches, props.what, props.all, now)}</span>;
}

/**
 * What an index says about a search; else how many the statistics count, or where these do not know, the total on the
 * last page.
 */
export function TotalAtEnd(props: {
  shown: ShownPage<unknown, PageParams> | undefined;
  what: string;
  countIn?: CountIn | undefined;
}) {
  const { shown, what, countIn } = props;
  const counted = useCounted(countIn);
  const matches = shown?.page.matches;
  if (matches !== undefined) return <Reading matches={matches} what={what} all={null} />;
  // No longer than what stands here before: the line would wrap, and move the list.
  if (counted !== undefined)
    return (
      <span title={`As of ${timeOfDay(new Date(counted.as_of), Date.now())}`}>, {digits(counted.total)} in total</span>
    );
  if (shown === undefined || shown.page.next !== undefined) return <Total counted={undefined} pending={false} />;
  return <span>, {digits((shown.pages.at(-1)?.before ?? 0) + shown.page.rows.length)} in total</span>;
}
