import { Skeleton, Stack } from '@mantine/core';

/** Placeholder rows, with a label for screen readers. */
export const LoadingRows = ({ label, rows = 1, height }: { label: string; rows?: number; height: number }) => (
  <Stack gap="sm" role="status" aria-busy aria-label={label}>
    {[...'abcdef'.slice(0, rows)].map((row) => (
      <Skeleton key={row} height={height} />
    ))}
  </Stack>
);
