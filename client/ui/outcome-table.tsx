import { Paper, Table, type TableProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { digits } from '../lib/format-count.ts';
import { visibleText } from '../lib/visible-text.ts';
import { StatusDot } from './facts.tsx';
import { Dimmed } from './layout.tsx';
import classes from './ui.module.css';

/** A long or wide table, which can also be scrolled by keyboard. @param props.label of the scroll container */
export const ScrollTable = ({ label, head, children, ...table }: TableProps & { label: string; head: string[] }) => (
  <Paper withBorder style={{ overflow: 'hidden' }}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container must be reachable by keyboard */}
    <section className={classes.content} tabIndex={0} aria-label={label}>
      <Table stickyHeader verticalSpacing={6} {...table}>
        <Table.DataRenderer data={{ head }} />
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </section>
  </Paper>
);

export interface OutcomeRow {
  key: string | number;
  subject: ReactNode;
  status: 'good' | 'warning' | 'bad' | 'off';
  outcome: string;
  reason: string | undefined;
}

const ROWS_MAX = 100;

/** A table of results. A long one is truncated; the saved report is complete. */
export function OutcomeTable(props: {
  label: string;
  subject: string;
  rows: readonly OutcomeRow[];
  /** Omit if `rows` is complete. */
  total?: number;
}) {
  const { rows, total = rows.length } = props;
  return (
    <div>
      <ScrollTable label={props.label} head={[props.subject, 'Outcome']} horizontalSpacing="sm" fz="sm">
        {rows.slice(0, ROWS_MAX).map((row) => (
          <Table.Tr key={row.key}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              {typeof row.subject === 'string' ? <bdi>{visibleText(row.subject)}</bdi> : row.subject}
              <Dimmed size="xs">{row.reason}</Dimmed>
            </Table.Td>
            <Table.Td w="1%" style={{ whiteSpace: 'nowrap' }}>
              <StatusDot status={row.status}>{row.outcome}</StatusDot>
            </Table.Td>
          </Table.Tr>
        ))}
      </ScrollTable>
      {total > ROWS_MAX && (
        <Dimmed size="xs" mt="xs">
          First {ROWS_MAX} of {digits(total)}. The report contains all of them.
        </Dimmed>
      )}
    </div>
  );
}
