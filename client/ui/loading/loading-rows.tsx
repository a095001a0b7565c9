import { Skeleton, Stack } from '@mantine/core';

/** Where something comes soon: rows in its place, and words for who does not see them. */
export const LoadingRows = ({ label, rows = 1, height }: { label: string; rows?: number; height: number }) => (
  <Stack gap="sm" role="status" aria-busy aria-label={label}>
    {[...'abcdef'.slice(0, rows)].map((row) => (
      <Skeleton key={row} height={height} />
    ))}
  </Stack>
);
