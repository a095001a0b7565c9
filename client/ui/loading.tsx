import { Loader, Skeleton, Stack, Text } from '@mantine/core';
import type { CSSProperties } from 'react';
import classes from './ui.module.css';

/**
 * Placeholder for a list. A single element paints all lines, since rendering this delays the first row.
 * @param search whether to include the search field @param heading whether to include the page's heading
 */
export function ListSkeleton(props: { label: string; rows: number; search?: boolean; heading?: boolean }) {
  const { label, rows, heading = false, search = true } = props;
  return (
    <div className={classes.skeleton} role="status" aria-busy aria-label={label}>
      {heading && <div className={classes.heading} />}
      {search && <div className={classes.field} />}
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

/** Fills an empty page. Appears after a delay, to avoid a flash before a quick response. */
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
