import { NativeSelect, Table, Text } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { type CSSProperties, useState } from 'react';
import type { DayCount } from '../../../shared/dashboard.ts';
import { digits } from '../../lib/format-count.ts';
import { capitalised } from '../../lib/visible-text.ts';
import {
  type Bucket,
  buckets,
  formatBucket,
  formatDays,
  isByWeek,
  type Noun,
  percent,
  SPANS,
  type Span,
  shortDay,
} from './day-series.ts';
import { Plot, type PlotProps } from './plot.tsx';
import { type Destination, DestinationLink, useCanOpen } from './widget-parts.tsx';
import classes from './widgets.module.css';

const SPAN_NAMES: Record<Span, string> = { 30: '30 days', 90: '90 days', 365: 'a year' };

/** Counts by day over a selectable span. @param props.among adds to the sentence which items are counted */
export function DayChart(props: {
  series: readonly DayCount[];
  noun: Noun;
  shape: 'area' | 'bars';
  asTable: boolean;
  empty: string;
  among: (sentence: string) => string;
  destinationOf?: ((bucket: Bucket) => Destination) | undefined;
}) {
  const { series, noun, shape, asTable, empty, among, destinationOf } = props;
  const router = useRouter();
  const canOpen = useCanOpen();
  const [span, setSpan] = useState<Span>(30);
  if (series.length === 0)
    return (
      <Text size="sm" c="dimmed" m="auto" ta="center">
        {among(empty)}
      </Text>
    );
  const days = buckets(series, span);
  const rows = days.map((bucket) => ({
    label: shortDay(bucket.day),
    name: formatBucket(bucket),
    count: bucket.count,
    destination: destinationOf?.(bucket),
  }));
  const open = (index: number): void => {
    const { count = 0, destination } = rows[index] ?? {};
    if (count > 0 && destination !== undefined)
      void router.navigate({ to: destination.to, search: destination.search as never });
  };
  const first = rows[0]?.destination;
  const heading = capitalised(noun.many);
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={`Period for ${noun.many}`}
        value={String(span)}
        onChange={({ currentTarget }) => setSpan(Number(currentTarget.value) as Span)}
        data={SPANS.map((value) => ({ value: String(value), label: SPAN_NAMES[value] }))}
        wrapperProps={{ 'data-unprinted': true, 'data-period': true }}
      />
      <CountPlot
        name={`${heading} by ${isByWeek(span) ? 'week' : 'day'}`}
        sentence={among(formatDays(days, noun))}
        columns={[isByWeek(span) ? 'Week' : 'Day', heading]}
        rows={asTable ? rows.toReversed() : rows}
        shape={shape}
        asTable={asTable}
        onOpen={first !== undefined && canOpen(first) ? open : undefined}
      />
    </>
  );
}

interface CountRow {
  name: string;
  count: number;
  destination?: Destination | undefined;
}

interface Counts {
  name: string;
  /** The numbers in words: caption of the table, and accessible name of a chart. */
  sentence: string;
  columns: readonly [of: string, counted: string];
  rows: readonly CountRow[];
}

export const CountPlot = ({ asTable, ...counts }: Counts & PlotProps & { asTable: boolean }) =>
  asTable ? <CountTable {...counts} /> : <Plot {...counts} />;

/**
 * The numbers of a chart as a table. It scrolls inside the widget, and is focusable so that the keyboard can scroll it.
 */
export function CountTable({ name, sentence, columns, rows }: Counts) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: not a group of form fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll containers must be reachable by keyboard
    <div className={classes.scroll} tabIndex={0} role="group" aria-label={name}>
      <Table verticalSpacing={2} horizontalSpacing={4} stickyHeader captionSide="top">
        <Table.Caption mt={0} mb={4} ta="left">
          {sentence}
        </Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{columns[0]}</Table.Th>
            <Table.Th ta="right">{columns[1]}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ name, count, destination }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={400}>
                <DestinationLink inherit destination={count > 0 ? destination : undefined}>
                  {name}
                </DestinationLink>
              </Table.Th>
              <Table.Td ta="right">{digits(count)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

/** Counts, largest first, each with a bar for its share of a total, or as a table. Rows that do not fit scroll. */
export function ShareBars({ of, asTable, ...counts }: Counts & { of: number; asTable: boolean }) {
  if (asTable) return <CountTable {...counts} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll containers must be reachable by keyboard
    <ul className={`${classes.scroll} ${classes.shares}`} tabIndex={0} aria-label={counts.sentence}>
      {counts.rows.map(({ name, count, destination }) => (
        <li key={name} style={{ '--share': of === 0 ? 0 : count / of } as CSSProperties}>
          <Text span size="sm" truncate flex={1} title={name}>
            <DestinationLink inherit c="inherit" destination={destination}>
              {name}
            </DestinationLink>
          </Text>
          <Text span size="sm" fw={600}>
            {digits(count)}
          </Text>
          <Text span size="xs" c="dimmed" miw="3.25rem" ta="right">
            {percent(count, of)}
          </Text>
        </li>
      ))}
    </ul>
  );
}
