import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { visibleText } from '../../format/visible-text.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import classes from './heading-facts.module.css';

/** What stands below the heading of a record: its state, whose it is, its id. */
export const HeadingFacts = ({ children }: { children: ReactNode }) => (
  <span className={classes.facts}>{children}</span>
);

/** One of them with a button that copies `text`; what is shown of it is `children`, or the text as an id. */
export const CopyableFact = ({ label, text, children }: { label: string; text: string; children?: ReactNode }) => (
  <span className={classes.copyable}>
    {children === undefined ? (
      <Text span size="xs" ff="monospace">
        {visibleText(text)}
      </Text>
    ) : (
      <span>{children}</span>
    )}
    <CopyButton label={label} read={() => text} />
  </span>
);
