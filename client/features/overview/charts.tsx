import { Group, NativeSelect, Paper, Table, Text } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { type CSSProperties, type MouseEvent, useState } from 'react';
import type { DayCount } from '../../../shared/dashboard.ts';
import { useCan } from '../../api/session.ts';
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
  shortDay,
} from './day-series.ts';
import { type Destination, DestinationLink } from './widget-parts.tsx';
import classes from './widgets.module.css';

const SPANS = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'a year' },
];

/** Counts by day over a selectable span. @param props.among adds to the sentence which items are counted */
export function DayChart(props: {
  series: readonly DayCount[];
  noun: Noun;
  asTable: boolean;
  empty: string;
  among: (sentence: string) => string;
  destinationOf?: ((bucket: Bucket) => Destination) | undefined;
}) {
  const { series, noun, asTable, empty, among, destinationOf } = props;
  const [span, setSpan] = useState(30);
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
  const heading = capitalised(noun.many);
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={`Period for ${noun.many}`}
        value={String(span)}
        onChange={({ currentTarget }) => setSpan(Number(currentTarget.value))}
        data={SPANS}
        wrapperProps={{ 'data-unprinted': true, 'data-period': true }}
      />
      <CountPlot
        name={`${heading} by ${isByWeek(span) ? 'week' : 'day'}`}
        sentence={among(formatDays(days, noun))}
        columns={[isByWeek(span) ? 'Week' : 'Day', heading]}
        rows={asTable ? rows.toReversed() : rows}
        asTable={asTable}
      />
    </>
  );
}

interface CountRow {
  name: string;
  count: number;
  destination?: Destination | undefined;
}

interface Counts<Row extends CountRow = CountRow> {
  name: string;
  /** The numbers in words: caption of the table, and accessible name of a chart. */
  sentence: string;
  columns: readonly [of: string, counted: string];
  rows: readonly Row[];
}

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
                <DestinationLink destination={count > 0 ? destination : undefined}>{name}</DestinationLink>
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
    <ul className={classes.scroll} tabIndex={0} aria-label={counts.sentence}>
      {counts.rows.map(({ name, count, destination }) => (
        <Group
          key={name}
          component="li"
          wrap="nowrap"
          gap="0.5rem"
          h="1.5rem"
          mb="0.25rem"
          px="0.375rem"
          className={classes.share}
          style={{ '--share': of === 0 ? 0 : count / of }}
        >
          <Text span size="sm" truncate flex={1} title={name}>
            <DestinationLink c="inherit" destination={destination}>
              {name}
            </DestinationLink>
          </Text>
          <Text span size="sm" fw={600}>
            {digits(count)}
          </Text>
          <Text span size="xs" c="dimmed" miw="3.25rem" ta="right">
            {percent(count, of)}
          </Text>
        </Group>
      ))}
    </ul>
  );
}

/** The name in full, `Tue 3 Mar`. */
interface PlotRow extends CountRow {
  /** On the axis: `3 Mar`. */
  label: string;
  /** Emphasizes the bar. */
  strong?: boolean;
}

/**
 * Counts along an axis. Screen readers get only the sentence, and the numbers and links from the table. A click opens
 * the destination of a count; on a touch screen, the first tap only displays the value.
 */
export function CountPlot(props: Counts<PlotRow> & { asTable: boolean }) {
  const { sentence, rows: values } = props;
  const router = useRouter();
  const may = useCan();
  const [hovered, setHovered] = useState<number>();
  if (props.asTable) return <CountTable {...props} />;
  const top = axisTop(Math.max(0, ...values.map(({ count }) => count)));
  const indexAt = ({ clientX, currentTarget }: MouseEvent): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.min(values.length - 1, Math.max(0, Math.floor(((clientX - left) / width) * values.length)));
  };
  const destinationOf = (row: PlotRow | undefined): Destination | undefined =>
    row?.count && row.destination && may(row.destination.needs) ? row.destination : undefined;
  const onClick = (event: MouseEvent): void => {
    const index = indexAt(event);
    const destination = destinationOf(values[index]);
    if (index !== hovered && (event.nativeEvent as PointerEvent).pointerType === 'touch') setHovered(index);
    else if (destination) void router.navigate({ to: destination.to, search: destination.search as never });
  };
  const tip = hovered === undefined ? undefined : values[hovered];
  const middleOf = (index: number) => ({ '--at': (index + 0.5) / values.length }) as CSSProperties;

  return (
    <div className={classes.plot} role="img" aria-label={sentence}>
      <div className={classes.counts}>
        {axisTicks(top).map((tick) => (
          <span key={tick}>{digits(tick)}</span>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: hidden from screen readers; the table has links */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: as above */}
      <div
        className={classes.field}
        data-plot
        data-link={destinationOf(tip) && true}
        onPointerMove={(event) => setHovered(indexAt(event))}
        onPointerLeave={({ pointerType }) => pointerType === 'mouse' && setHovered(undefined)}
        onClick={onClick}
      >
        <div className={classes.ticks}>
          {axisTicks(top).map((tick) => (
            <i key={tick} />
          ))}
        </div>
        <div className={classes.bars} data-dense={values.length > 60 || undefined}>
          {values.map(({ name, count, strong }, index) => (
            <i
              key={name}
              data-strong={strong || index === hovered || undefined}
              style={{ '--share': count && Math.max(count / top, 0.02) } as CSSProperties}
            />
          ))}
        </div>
        {tip !== undefined && hovered !== undefined && (
          <Paper
            withBorder
            shadow="sm"
            px={8}
            py={3}
            fz="xs"
            c="var(--mantine-color-text)"
            className={classes.tip}
            style={middleOf(hovered)}
          >
            {tip.name} <b>{digits(tip.count)}</b>
          </Paper>
        )}
      </div>
      <div className={classes.labels}>
        {labelled(values.length).map((index) => (
          <span key={index} style={middleOf(index)}>
            {values[index]?.label}
          </span>
        ))}
      </div>
    </div>
  );
}

/** The top of the axis: a round integer, equal to or a little above the largest count. */
export function axisTop(largest: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(largest, 1)));
  const steps = [1, 1.5, 2, 3, 4, 5, 6, 8].map((factor) => factor * power).filter(Number.isInteger);
  return steps.find((step) => step >= largest) ?? 10 * power;
}

/** Zero, the top, and the middle if it is an integer. */
export const axisTicks = (top: number): number[] => (top % 2 === 0 ? [0, top / 2, top] : [0, top]);

/** Indexes of the values with labels: at most five, evenly spaced, including the first and the last. */
const labelled = (count: number): number[] => [
  ...new Set([0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(share * (count - 1)))),
];
