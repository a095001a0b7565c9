import { Loader, Text } from '@mantine/core';
import classes from './waiting.module.css';

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
