import { Button, Stack, Text } from '@mantine/core';
import { csvHeader, csvLine, fileName, saveFile } from '../lib/files.ts';
import { counted, digits } from '../lib/format-count.ts';
import { DialogFooter } from '../ui/modal.tsx';
import { OutcomeTable } from '../ui/outcome-table.tsx';
import { IconDownload } from '../ui/shell-icons.tsx';
import { type BulkAct, type BulkResult, type BulkSubject, unfinished } from './bulk-run.ts';

function formatOutcome<T>({ outcome }: BulkResult<T>, act: BulkAct<T>): string {
  if (outcome === 'done') return act.done;
  return outcome === 'unchanged' ? (act.already?.words ?? 'unchanged') : outcome.replace('-', ' ');
}

const OFF = { unchanged: 'off', 'left-out': 'off' } as const;
const STATUS = { ...OFF, done: 'good', overwritten: 'bad', failed: 'bad', 'not-started': 'warning' } as const;
const ORDER = ['failed', 'overwritten', 'not-started', 'left-out', 'unchanged', 'done'] as const;

/** The result of each item, failures first, with a retry for unfinished items. */
export function BulkResults<T extends { id: string }>(props: {
  act: BulkAct<T>;
  subject: BulkSubject<T>;
  results: readonly BulkResult<T>[];
  /** Whether the items were selected rows of the list. */
  chosen: boolean;
  onRetry: () => void;
  onClose: () => void;
}) {
  const { act, subject, results } = props;
  const sorted = ORDER.flatMap((outcome) => results.filter((result) => result.outcome === outcome));
  const unfinishedCount = unfinished(results).length;
  const save = (): void => {
    const name = fileName(`${subject.name.many.replaceAll(' ', '-')}-${act.done.replaceAll(' ', '-')}`, 'csv');
    const lines = results.map((result) =>
      csvLine([result.item.id, subject.nameOf(result.item), formatOutcome(result, act), result.reason ?? '']),
    );
    const header = csvHeader(['id', subject.nameColumn, 'outcome', 'reason']);
    saveFile(name, new Blob([header, ...lines], { type: 'text/csv' }));
  };
  return (
    <Stack gap="md">
      <Text size="sm" role="status" tabIndex={-1} data-autofocus>
        {summaryOf(results, act)}
        {unfinishedCount > 0 && props.chosen && ' Unfinished items stay selected.'}
      </Text>
      <OutcomeTable
        label="Results"
        subject={subject.name.title}
        rows={sorted.map((result) => ({
          key: result.item.id,
          subject: (subject.labelOf ?? subject.nameOf)(result.item),
          status: STATUS[result.outcome],
          outcome: formatOutcome(result, act),
          reason: result.reason,
        }))}
      />
      <DialogFooter
        start={
          <Button variant="default" leftSection={<IconDownload />} onClick={save}>
            Save as CSV
          </Button>
        }
        onCancel={props.onClose}
        cancel="Close"
      >
        {unfinishedCount > 0 && <Button onClick={props.onRetry}>Try again</Button>}
      </DialogFooter>
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
