import { Code, Stack } from '@mantine/core';
import classes from './client-tabs.module.css';

/** A vertical list of values. */
export const TextItems = ({ items }: { items: readonly string[] }) =>
  items.length === 0 ? (
    'none'
  ) : (
    <Stack gap={2} align="flex-start">
      {items.map((item) => (
        <Code key={item} className={classes.breakable}>
          {item}
        </Code>
      ))}
    </Stack>
  );
