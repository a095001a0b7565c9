import { Group, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { counted } from '../../../format/counted.ts';
import { ScrollFrame } from '../../../ui/scroll-frame.tsx';
import classes from '../transfer/transfer.module.css';
import type { Inspection } from './inspect-identities.ts';

const MISTAKES_SHOWN = 100;

/** The problems with their lines; a problem shared by many is listed once. */
export function ProblemList({ inspection, action }: { inspection: Inspection; action: ReactNode }) {
  const { mistakes, invalid, hint } = inspection;
  return (
    <div>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          {counted(invalid, 'identity', 'identities')} with problems
        </Title>
        {action}
      </Group>
      {hint !== undefined && (
        <Text size="sm" mb="xs">
          {hint}
        </Text>
      )}
      <ScrollFrame label="Problems">
        <Table verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Line</Table.Th>
              <Table.Th>Who</Table.Th>
              <Table.Th>Problem</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {mistakes.slice(0, MISTAKES_SHOWN).map(({ problem, count, lines, who }) => (
              <Table.Tr key={problem}>
                <Table.Td className={classes.line}>
                  {lines.join(', ')}
                  {count > lines.length && ', …'}
                </Table.Td>
                <Table.Td className={`${classes.text} ${classes.who}`}>
                  {count === 1 ? <bdi>{who}</bdi> : counted(count, 'identity', 'identities')}
                </Table.Td>
                <Table.Td className={classes.text}>{problem}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollFrame>
      {mistakes.length > MISTAKES_SHOWN && (
        <Text size="xs" c="dimmed" mt="xs">
          The {MISTAKES_SHOWN} most frequent; the CSV file has them all.
        </Text>
      )}
    </div>
  );
}
