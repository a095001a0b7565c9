import type { ReactNode } from 'react';
import { counted } from '../../../format/counted.ts';
import { Group } from '../../../ui/elements/layout.tsx';
import { Table } from '../../../ui/elements/table.tsx';
import { Text, Title } from '../../../ui/elements/text.tsx';
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
          <thead>
            <tr>
              <th>Line</th>
              <th>Who</th>
              <th>Problem</th>
            </tr>
          </thead>
          <tbody>
            {mistakes.slice(0, MISTAKES_SHOWN).map(({ problem, count, lines, who }) => (
              <tr key={problem}>
                <td className={classes.line}>
                  {lines.join(', ')}
                  {count > lines.length && ', …'}
                </td>
                <td className={`${classes.text} ${classes.who}`}>
                  {count === 1 ? <bdi>{who}</bdi> : counted(count, 'identity', 'identities')}
                </td>
                <td className={classes.text}>{problem}</td>
              </tr>
            ))}
          </tbody>
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
