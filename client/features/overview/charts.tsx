import { NativeSelect } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { type CSSProperties, useState } from 'react';
import type { DayCount } from '../../../shared/dashboard.ts';
import { digits } from '../../lib/format-count.ts';
import classes from './charts.module.css';
import { type Bucket, buckets, formatBucket, formatDays, percent, SPANS, type Span, shortDay } from './day-series.ts';
import { type Destination, DestinationLink } from './destinations.tsx';
import { Plot } from './plot.tsx';
import widgetsClasses from './widgets.module.css';

const RADIUS = 42;
const LENGTH = 2 * Math.PI * RADIUS;

/** A share as part of a circle; the caller names it next to it. @param share 0 to 1 */
export function Ring({ share }: { share: number }) {
  return (
    <svg className={classes.ring} viewBox="0 0 100 100" aria-hidden>
      <circle cx="50" cy="50" r={RADIUS} className={classes.rest} />
      {share > 0 && (
        <circle
          cx="50"
          cy="50"
          r={RADIUS}
          className={classes.part}
          strokeDasharray={`${share * LENGTH} ${LENGTH}`}
          transform="rotate(-90 50 50)"
        />
      )}
    </svg>
  );
}

export interface CountRow {
  name: string;
  count: number;
  /** The page that shows what was counted. */
  leadsTo?: Destination | undefined;
}

/** The numbers of a chart. It scrolls inside the widget and is focusable, so that it can be scrolled by keyboard. */
export function CountTable(props: { caption: string; of: string; counted: string; rows: readonly CountRow[] }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: not a group of form fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll containers must be reachable by keyboard
    <div className={classes.frame} tabIndex={0} role="group" aria-label={props.caption}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{props.of}</th>
            <th scope="col">{props.counted}</th>
          </tr>
        </thead>
        <tbody>
          {props.rows.map(({ name, count, leadsTo }) => (
            <tr key={name}>
              <th scope="row">
                <DestinationLink inherit destination={count > 0 ? leadsTo : undefined}>
                  {name}
                </DestinationLink>
              </th>
              <td>{digits(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Parts of a whole as named bars, largest first; scrolls when they do not fit. */
export function ShareBars({ shares, of, label }: { shares: readonly CountRow[]; of: number; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll containers must be reachable by keyboard
    <ul className={classes.shares} tabIndex={0} aria-label={label}>
      {shares.map(({ name, count, leadsTo }) => (
        <li key={name}>
          <span className={classes.name} title={name}>
            <DestinationLink inherit destination={leadsTo}>
              {name}
            </DestinationLink>
          </span>
          <span className={classes.count}>
            {digits(count)} <small>{percent(count, of)}</small>
          </span>
          <i style={{ '--share': of === 0 ? 0 : count / of } as CSSProperties} aria-hidden />
        </li>
      ))}
    </ul>
  );
}

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
  if (series.length === 0) return <p className={widgetsClasses.empty}>{among(empty)}</p>;
  return (
    <>
      <div className={widgetsClasses.top}>
        <p className={widgetsClasses.summary}>{among(formatDays(shown, noun))}</p>
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
