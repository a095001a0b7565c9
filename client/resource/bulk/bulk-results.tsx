import { Button, Group, Stack, Text } from '@mantine/core';
import { counted, digits } from '../../format/counted.ts';
import { fileName, saveFile } from '../../lib/save-file.ts';
import { OutcomeTable } from '../../ui/outcome-table.tsx';
import { IconDownload } from '../icons.ts';
import type { BulkAct, BulkSubject } from './bulk-act.ts';
import { bulkReport, formatOutcome, undone } from './bulk-report.ts';
import type { BulkResult } from './bulk-runner.ts';

const STATUS = { done: 'good', unchanged: 'off', 'left-out': 'off', failed: 'bad', 'not-started': 'warning' } as const;
const ORDER = ['failed', 'not-started', 'left-out', 'unchanged', 'done'] as const;

/** The result for each item, failures first, with a retry for those not done. */
export function BulkResults<T extends { id: string }>(props: {
  act: BulkAct<T>;
  subject: BulkSubject<T>;
  results: readonly BulkResult<T>[];
  /** Whether they were rows of the list, which stay selected. */
  chosen: boolean;
  onRetry: () => void;
  onClose: () => void;
}) {
  const { act, subject, results } = props;
  const sorted = ORDER.flatMap((outcome) => results.filter((result) => result.outcome === outcome));
  const left = undone(results).length;
  return (
    <Stack gap="md">
      <Text role="status" tabIndex={-1} data-autofocus>
        {summaryOf(results, act)}
        {left > 0 && props.chosen && ' Items not done stay selected.'}
      </Text>
      <OutcomeTable
        label="Results"
        subject={subject.name.title}
        rows={sorted.map((result) => ({
          key: result.item.id,
          subject: subject.nameOf(result.item),
          status: STATUS[result.outcome],
          outcome: formatOutcome(result, act),
          reason: result.reason,
        }))}
      />
      <Group justify="flex-end" gap="xs">
        <Button
          variant="default"
          leftSection={<IconDownload />}
          onClick={() =>
            saveFile(
              fileName(`${subject.name.many.replaceAll(' ', '-')}-${act.done.replaceAll(' ', '-')}`, 'csv'),
              bulkReport(results, act, subject),
            )
          }
        >
          Save as CSV
        </Button>
        <Button variant="default" onClick={props.onClose}>
          Close
        </Button>
        {left > 0 && <Button onClick={props.onRetry}>Retry the {digits(left)} not done</Button>}
      </Group>
    </Stack>
  );
}

function summaryOf<T>(results: readonly BulkResult<T>[], act: BulkAct<T>): string {
  const parts = ORDER.toReversed().map((outcome) => {
    const some = results.filter((result) => result.outcome === outcome);
    const [first] = some;
    if (first === undefined) return undefined;
    if (outcome === 'left-out') return counted(some.length, 'no longer matches', 'no longer match');
    return `${digits(some.length)} ${formatOutcome(first, act)}`;
  });
  return `${parts.filter((part) => part !== undefined).join(', ')}.`;
}
