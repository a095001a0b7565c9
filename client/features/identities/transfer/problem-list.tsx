import '@mantine/core/styles/Table.layer.css';
import { Group, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { counted } from '../../../ui/counted.ts';
import { ScrollFrame } from '../../../ui/scroll-frame.tsx';
import { calledInFile } from '../../../wording/identity-name.ts';
import { type Inspection, REFUSED_SHOWN } from './inspect-identities.ts';
import classes from './transfer.module.css';

/** The first of the problems, each with its line. */
export function ProblemList({ inspection, action }: { inspection: Inspection; action: ReactNode }) {
  const { refused, invalid, hint } = inspection;
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
            {refused.map(({ line, identity, problems }) => (
              <Table.Tr key={line}>
                <Table.Td className={classes.line}>{line}</Table.Td>
                <Table.Td className={`${classes.text} ${classes.who}`}>
                  <bdi>{calledInFile(identity)}</bdi>
                </Table.Td>
                <Table.Td className={classes.text}>{problems.join('; ')}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollFrame>
      {invalid > REFUSED_SHOWN && (
        <Text size="xs" c="dimmed" mt="xs">
          The first {REFUSED_SHOWN}; the file of problems has them all.
        </Text>
      )}
    </div>
  );
}
