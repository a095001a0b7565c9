import { useState } from 'react';
import type { DayCount } from '../../../../shared/statistics.ts';
import { NativeSelect } from '../../../ui/elements/field.tsx';
import { CountTable } from '../charts/count-table.tsx';
import { buckets, formatBucket, SPANS, type Span, shortDay } from '../charts/day-series.ts';
import { Plot } from '../charts/plot.tsx';
import { formatDays } from '../charts/summaries.ts';
import classes from './lines.module.css';

const SPAN_NAMES: Record<Span, string> = { 30: '30 days', 90: '90 days', 365: 'a year' };

/**
 * Counts by day over a selectable span, as a chart or table, with a summary.
 * @param props.among turns the summary into a sentence that says what the counts cover
 */
export function DaysOf(props: {
  series: readonly DayCount[];
  noun: { one: string; many: string };
  shape: 'area' | 'bars';
  asTable: boolean;
  empty: string;
  among: (sentence: string) => string;
}) {
  const { series, noun, shape, asTable, empty, among } = props;
  const [span, setSpan] = useState<Span>(30);
  const shown = buckets(series, span);
  if (series.length === 0) return <p className={classes.empty}>{among(empty)}</p>;
  return (
    <>
      <div className={classes.top}>
        <p className={classes.summary}>{among(formatDays(shown, noun))}</p>
        <NativeSelect
          size="xs"
          aria-label={`How far back, ${noun.many}`}
          value={String(span)}
          onChange={({ currentTarget }) => setSpan(Number(currentTarget.value) as Span)}
          data={SPANS.map((days) => ({ value: String(days), label: SPAN_NAMES[days] }))}
        />
      </div>
      {asTable ? (
        <CountTable
          caption={`${noun.many} by ${span > 92 ? 'week' : 'day'}`}
          of={span > 92 ? 'Week' : 'Day'}
          counted={noun.many}
          rows={shown.toReversed().map((bucket) => ({ name: formatBucket(bucket), count: bucket.count }))}
        />
      ) : (
        <Plot
          shape={shape}
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
