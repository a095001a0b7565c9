import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { digits } from '../lib/format-count.ts';
import { visibleText } from '../lib/visible-text.ts';
import { StatusDot } from './facts.tsx';
import { Dimmed, ScrollFrame } from './layout.tsx';

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
      <ScrollFrame label={props.label}>
        <Table verticalSpacing={6} horizontalSpacing="sm" fz="sm">
          <Table.DataRenderer data={{ head: [props.subject, 'Outcome'] }} />
          <Table.Tbody>
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
          </Table.Tbody>
        </Table>
      </ScrollFrame>
      {total > ROWS_MAX && (
        <Dimmed size="xs" mt="xs">
          First {ROWS_MAX} of {digits(total)}. The report contains all of them.
        </Dimmed>
      )}
    </div>
  );
}
