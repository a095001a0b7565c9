import '@mantine/core/styles/Table.layer.css';
import { Paper, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { digits } from './counted.ts';
import classes from './outcome-table.module.css';
import { StatusDot } from './status-dot.tsx';

export interface OutcomeRow {
  key: string | number;
  subject: ReactNode;
  status: 'good' | 'warning' | 'bad' | 'off';
  outcome: string;
  reason: string | undefined;
}

const ROWS_MAX = 100;

/** What became of each of many; a long list is cut, and the report has them all. */
export function OutcomeTable({
  label,
  subject,
  rows,
}: {
  label: string;
  subject: string;
  rows: readonly OutcomeRow[];
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={classes.frame} tabIndex={0} aria-label={label}>
      <Paper withBorder>
        <Table verticalSpacing={6} horizontalSpacing="sm" className={classes.table}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{subject}</Table.Th>
              <Table.Th>Outcome</Table.Th>
              <Table.Th>Reason</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.slice(0, ROWS_MAX).map((row) => (
              <Table.Tr key={row.key}>
                <Table.Td className={classes.subject}>{row.subject}</Table.Td>
                <Table.Td className={classes.outcome}>
                  <StatusDot status={row.status}>{row.outcome}</StatusDot>
                </Table.Td>
                <Table.Td className={classes.reason}>{row.reason}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
      {rows.length > ROWS_MAX && (
        <Text size="xs" c="dimmed" mt="xs">
          The first {ROWS_MAX} of {digits(rows.length)}; the report has them all.
        </Text>
      )}
    </section>
  );
}
