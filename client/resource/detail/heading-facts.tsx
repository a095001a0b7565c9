import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { visibleText } from '../../format/visible-text.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import classes from './heading-facts.module.css';

/** Facts below the heading of a record: its state, owner, id. */
export const HeadingFacts = ({ children }: { children: ReactNode }) => (
  <span className={classes.facts}>{children}</span>
);

/** A fact with a button that copies `text`; shown as `children`, or else as the text in monospace. */
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
