import { Group, Loader, Paper, Skeleton, Stack } from '@mantine/core';
import type { CSSProperties } from 'react';
import { Dimmed } from './layout.tsx';
import classes from './loading.module.css';

/** Placeholder for a list. A single element paints all lines: a slower placeholder would delay the first row. */
export const ListSkeleton = ({ label, rows }: { label: string; rows: number }) => (
  <Paper withBorder p="md" role="status" aria-busy aria-label={label}>
    <div className={classes.lines} style={{ '--rows': rows } as CSSProperties} />
  </Paper>
);

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
    <Group className={classes.waiting} justify="center" mih="60vh" role="status">
      <Loader size={22} aria-hidden />
      <Dimmed>{text}</Dimmed>
    </Group>
  );
}
