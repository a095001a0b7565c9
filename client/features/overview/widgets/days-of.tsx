import { NativeSelect } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { DayCount } from '../../../../shared/dashboard.ts';
import { CountTable } from '../charts/count-table.tsx';
import { type Bucket, buckets, formatBucket, SPANS, type Span, shortDay } from '../charts/day-series.ts';
import { Plot } from '../charts/plot.tsx';
import { formatDays } from '../charts/summaries.ts';
import type { Destination } from '../destinations.ts';
import classes from './lines.module.css';

const SPAN_NAMES: Record<Span, string> = { 30: '30 days', 90: '90 days', 365: 'a year' };

/**
 * Counts by day over a selectable span, as a chart or table, with a summary.
 * @param props.among turns the summary into a sentence that says what the counts cover
 * @param props.leadsTo the page that shows what was counted in a bucket
 */
export function DaysOf(props: {
  series: readonly DayCount[];
  noun: { one: string; many: string; among?: string };
  shape: 'area' | 'bars';
  asTable: boolean;
  empty: string;
  among: (sentence: string) => string;
  leadsTo?: ((bucket: Bucket) => Destination) | undefined;
}) {
  const { series, noun, shape, asTable, empty, among, leadsTo } = props;
  const router = useRouter();
  const [span, setSpan] = useState<Span>(30);
  const shown = buckets(series, span);
  const openAt = (index: number): void => {
    const bucket = shown[index];
    const destination = bucket && bucket.count > 0 ? leadsTo?.(bucket) : undefined;
    if (destination !== undefined) void router.navigate({ to: destination.to, search: destination.search as never });
  };
  if (series.length === 0) return <p className={classes.empty}>{among(empty)}</p>;
  return (
    <>
      <div className={classes.top}>
        <p className={classes.summary}>{among(formatDays(shown, noun))}</p>
        <div data-unprinted>
          <NativeSelect
            size="xs"
            aria-label={`How far back, ${noun.many}`}
            value={String(span)}
            onChange={({ currentTarget }) => setSpan(Number(currentTarget.value) as Span)}
            data={SPANS.map((days) => ({ value: String(days), label: SPAN_NAMES[days] }))}
          />
        </div>
      </div>
      {asTable ? (
        <CountTable
          caption={`${noun.many} by ${span > 92 ? 'week' : 'day'}`}
          of={span > 92 ? 'Week' : 'Day'}
          counted={noun.many}
          rows={shown.toReversed().map((bucket) => ({
            name: formatBucket(bucket),
            count: bucket.count,
            leadsTo: leadsTo?.(bucket),
          }))}
        />
      ) : (
        <Plot
          shape={shape}
          onOpen={leadsTo && openAt}
          values={shown.map((bucket) => ({
            label: shortDay(bucket.day),
            words: formatBucket(bucket),
            count: bucket.count,
          }))}
        />
      )}
    </>
  );
}
