import { Paper } from '@mantine/core';
import { type CSSProperties, type MouseEvent, useState } from 'react';
import { digits } from '../../lib/format-count.ts';
import classes from './widgets.module.css';

interface PlotValue {
  /** Axis label, `3 Mar`, and full name, `Tue 3 Mar`. */
  label: string;
  name: string;
  count: number;
  /** Emphasizes a bar; other shapes ignore it. */
  strong?: boolean;
}

export interface PlotProps {
  sentence: string;
  rows: readonly PlotValue[];
  shape: 'area' | 'bars';
  /** Called on a click. On a touch screen, the first tap only displays the value. */
  onOpen?: ((index: number) => void) | undefined;
}

/**
 * Counts along an axis. Screen readers get only the sentence, so the caller provides a table with the same numbers and
 * links.
 */
export function Plot({ sentence, rows: values, shape, onOpen }: PlotProps) {
  const [hovered, setHovered] = useState<number>();
  const top = axisTop(Math.max(0, ...values.map(({ count }) => count)));
  const indexAt = ({ clientX, currentTarget }: MouseEvent): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.min(values.length - 1, Math.max(0, Math.floor(((clientX - left) / width) * values.length)));
  };
  const onClick = (event: MouseEvent): void => {
    const index = indexAt(event);
    if (index === hovered || (event.nativeEvent as PointerEvent).pointerType !== 'touch') onOpen?.(index);
    else setHovered(index);
  };
  const tip = hovered === undefined ? undefined : values[hovered];
  const middleOf = (index: number) => ({ '--at': (index + 0.5) / values.length }) as CSSProperties;
  const Marks = shape === 'area' ? Area : Bars;

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
        data-link={(onOpen !== undefined && (tip?.count ?? 0) > 0) || undefined}
        onPointerMove={(event) => setHovered(indexAt(event))}
        onPointerLeave={({ pointerType }) => pointerType === 'mouse' && setHovered(undefined)}
        onClick={onClick}
      >
        <div className={classes.ticks}>
          {axisTicks(top).map((tick) => (
            <i key={tick} />
          ))}
        </div>
        <Marks values={values} top={top} hovered={hovered} />
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

interface Marks {
  values: readonly PlotValue[];
  top: number;
  hovered: number | undefined;
}

function Bars({ values, top, hovered }: Marks) {
  return (
    <div className={classes.bars} data-dense={values.length > 60 || undefined}>
      {values.map(({ name, count, strong }, index) => (
        <i
          key={name}
          data-strong={strong || index === hovered || undefined}
          style={{ '--share': count && Math.max(count / top, 0.02) } as CSSProperties}
        />
      ))}
    </div>
  );
}

/** The drawing stretches with its container, but its lines keep their width. */
const HEIGHT = 100;

function Area({ values, top, hovered }: Marks) {
  const points = values.map(({ count }, index) => `${index + 0.5},${HEIGHT - (count / top) * HEIGHT}`).join(' ');
  // A line needs two values: a single one becomes a dot.
  const dotted = values.length === 1 ? 0 : hovered;
  const dot = dotted === undefined ? undefined : values[dotted];
  return (
    <>
      <svg className={classes.area} viewBox={`0 0 ${values.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
        <polygon points={`0.5,${HEIGHT} ${points} ${values.length - 0.5},${HEIGHT}`} />
        <polyline points={points} />
      </svg>
      {dot !== undefined && dotted !== undefined && (
        <i
          className={classes.dot}
          style={{ '--at': (dotted + 0.5) / values.length, '--share': dot.count / top } as CSSProperties}
        />
      )}
    </>
  );
}

/** The top of the axis: a round integer, equal to or a little above the largest count. */
export function axisTop(largest: number): number {
  if (largest <= 4) return Math.max(largest, 1);
  const power = 10 ** Math.floor(Math.log10(largest));
  const step = [1, 1.5, 2, 3, 4, 5, 6, 8].find(
    (factor) => factor * power >= largest && Number.isInteger(factor * power),
  );
  return (step ?? 10) * power;
}

/** Zero, the top, and the middle if it is an integer. */
export const axisTicks = (top: number): number[] => (top % 2 === 0 ? [0, top / 2, top] : [0, top]);

const LABELS_MAX = 5;

/** Indexes of the values with labels: a few, evenly spaced, including the first and the last. */
function labelled(count: number): number[] {
  const labels = Math.min(LABELS_MAX, count);
  if (labels < 2) return count === 0 ? [] : [0];
  return Array.from({ length: labels }, (_, index) => Math.round((index * (count - 1)) / (labels - 1)));
}
