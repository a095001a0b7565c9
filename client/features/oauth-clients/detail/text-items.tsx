import { Stack } from '../../../ui/elements/layout.tsx';
import { Code } from '../../../ui/elements/text.tsx';
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
