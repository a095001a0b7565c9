import { Text } from '@mantine/core';
import classes from './key-legend.module.css';

/** Explains a table's keys and order. */
export const KeyLegend = ({ order }: { order?: string | undefined }) => (
  <Text size="xs" c="dimmed" mt="xs" className={classes.keys} data-unprinted>
    In the table: <kbd>j</kbd> <kbd>k</kbd> move, <kbd>Enter</kbd> opens, <kbd>x</kbd> selects, <kbd>Shift</kbd> with an
    arrow or a click selects a range, <kbd>n</kbd> <kbd>p</kbd> next and previous page. {order}
  </Text>
);
