import { Loader, Skeleton, Stack, Text } from '@mantine/core';
import type { CSSProperties } from 'react';
import classes from './ui.module.css';

/**
 * Placeholder for a list with a search field until its rows have loaded. A single element draws all lines: the first
 * row waits for this to come and go.
 * @param heading whether the page's heading is missing, too
 */
export function ListSkeleton({ label, rows, heading = false }: { label: string; rows: number; heading?: boolean }) {
  return (
    <div className={classes.skeleton} role="status" aria-busy aria-label={label}>
      {heading && <div className={classes.heading} />}
      <div className={classes.field} />
      <div className={classes.list}>
        <div className={classes.lines} style={{ '--rows': rows } as CSSProperties} />
      </div>
    </div>
  );
}

/** Placeholder rows, with a label for screen readers. */
export const LoadingRows = ({ label, rows = 1, height }: { label: string; rows?: number; height: number }) => (
  <Stack gap="sm" role="status" aria-busy aria-label={label}>
    {[...'abcdef'.slice(0, rows)].map((row) => (
      <Skeleton key={row} height={height} />
    ))}
  </Stack>
);

/** Progress of a long run, with a way to cancel it. Without a total the bar is indeterminate. */
export function RunProgress(props: {
  /** What is running, for the bar's accessible name: “Deleting”. */
  label: string;
  done: number;
  total: number | undefined;
  /** Below the bar: what the run is waiting for. */
  note?: string | undefined;
  /** Undefined once the operator has cancelled. */
  onCancel: (() => void) | undefined;
}) {
  const { label, done, total, note } = props;
  // The total was counted beforehand; more may have been added.
  const percent = total === undefined ? undefined : total === 0 ? 100 : Math.min(100, Math.floor((100 * done) / total));
  const count = total === undefined ? `${digits(done)} so far` : `${digits(done)} of ${digits(total)}`;
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm" fw={500}>
          {label}
        </Text>
        <Text size="sm" style={{ fontVariantNumeric: 'tabular-nums' }}>
          {count}
        </Text>
      </Group>
      <Progress.Root size="lg">
        <Progress.Section
          value={percent ?? 100}
          animated={percent === undefined}
          // Without a total, there is no value to announce.
          withAria={percent !== undefined}
          role="progressbar"
          aria-label={`${label}: ${count}`}
        />
      </Progress.Root>
      <Group justify="space-between" gap="xs" mih={30}>
        <Text size="sm" c="dimmed" role="status">
          {props.onCancel === undefined ? 'Stopping after the current request…' : note}
        </Text>
        <Button size="xs" variant="default" onClick={props.onCancel} disabled={props.onCancel === undefined}>
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}

/**
 * Fills the page while there is nothing to show yet. It appears after a delay, so that a quick response does not make
 * it flash.
 */
export function Waiting({ text }: { text: string }) {
  return (
    <div className={classes.waiting} role="status">
      <Loader size={22} aria-hidden />
      <Text c="dimmed" size="sm">
        {text}
      </Text>
    </div>
  );
}
