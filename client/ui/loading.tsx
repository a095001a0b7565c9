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
