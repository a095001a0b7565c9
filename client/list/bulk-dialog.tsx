import { Button, Code, Group, List, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useOperator } from '../api/session.ts';
import { csvHeader, csvLine, fileName, saveFile } from '../lib/files.ts';
import { counted, digits } from '../lib/format-count.ts';
import { visibleText } from '../lib/visible-text.ts';
import { type Failure, FailurePanel } from '../ui/failure-panel.tsx';
import { FocusOnChange } from '../ui/hooks.tsx';
import { DeploymentBadge } from '../ui/layout.tsx';
import { Modal } from '../ui/modal.tsx';
import { OutcomeTable } from '../ui/outcome-table.tsx';
import { RunProgress } from '../ui/run-progress.tsx';
import { IconDownload } from '../ui/shell-icons.tsx';
import { type BulkAct, type BulkMatching, type BulkResult, type BulkSubject, undone, useBulkRun } from './bulk-run.ts';
import { SaveFirstField, useSaveFirst } from './export.tsx';

/**
 * Confirmation, progress and results in one dialog. During a run, the dialog can be cancelled but not closed.
 * @param items the selected rows; undefined for all matches, which load when the dialog opens
 */
export function BulkDialog<T extends { id: string }>(props: {
  act: BulkAct<T>;
  subject: BulkSubject<T>;
  items: readonly T[] | undefined;
  matching: BulkMatching<T> | undefined;
  onClose: (failedIds: string[] | undefined) => void;
}) {
  const { act, subject, matching } = props;
  const chosen = props.items !== undefined;
  // Never refetched: the list must not change between confirmation and run.
  const found = useQuery({
    queryKey: ['all matching rows', useId()],
    queryFn: ({ signal }) => (matching as BulkMatching<T>).find(signal),
    enabled: !chosen && matching !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const operator = useOperator();
  const all = props.items ?? found.data?.items ?? [];
  const items = act.spares === undefined ? all : all.filter((item) => !act.spares?.holds(item, operator));
  const spared = items.length < all.length ? act.spares?.words : undefined;
  const checked = !chosen || matching?.checksChosen ? matching : undefined;
  const { state, run, cancel, leave } = useBulkRun(act, subject, items, checked?.check);
  const saving = useSaveFirst(
    act.saveFirst,
    items.map(({ id }) => id),
  );
  const [saves, setSaves] = useState(false);
  const step = items.length === 0 ? 'find' : saving.read === undefined ? state.phase : 'saving';
  const busy = step === 'running' || step === 'saving';
  const close = () => props.onClose(leave());
  const { one, many } = subject.name;
  const what = items.length > 0 ? counted(items.length, one, many) : chosen ? many : `all matching ${many}`;
  return (
    <Modal
      opened
      size="lg"
      onClose={() => !busy && close()}
      title={`${act.title} ${what}${state.phase === 'confirm' ? '?' : ''}`}
      closeButtonProps={{ 'aria-label': 'Close', disabled: busy }}
    >
      <FocusOnChange of={step}>
        {step === 'find' && (
          <Stack gap="md">
            {found.error !== null ? (
              <FailurePanel title="Nothing was done" error={found.error} onRetry={() => void found.refetch()} />
            ) : spared !== undefined || found.data !== undefined ? (
              <Text role="status">{spared ?? `No ${many} match any more.`}</Text>
            ) : (
              <div role="status" aria-label={`Finding the matching ${many}`}>
                <Skeleton h={120} />
              </div>
            )}
            <Group justify="flex-end">
              <Button variant="default" data-autofocus onClick={close}>
                Close
              </Button>
            </Group>
          </Stack>
        )}
        {step === 'confirm' && (
          <BulkConfirmation
            act={act}
            subject={subject}
            items={items}
            matching={chosen ? undefined : matching?.words}
            promise={checked?.promise}
            warnings={[act.warning?.(items, operator), spared, found.data?.missing]}
            saving={{ chosen: saves, choose: setSaves, failure: saving.failure }}
            onConfirm={() => (saves ? saving.start(run) : run())}
            onCancel={close}
          />
        )}
        {step === 'saving' && (
          <RunProgress label="Saving" done={saving.read ?? 0} total={items.length} onCancel={saving.cancel} />
        )}
        {state.phase === 'running' && (
          <RunProgress
            label={act.running}
            done={state.ended}
            total={state.total}
            onCancel={state.cancelled ? undefined : cancel}
          />
        )}
        {state.phase === 'ended' && (
          <BulkResults
            act={act}
            subject={subject}
            results={state.results}
            chosen={chosen}
            onRetry={run}
            onClose={close}
          />
        )}
      </FocusOnChange>
    </Modal>
  );
}

const NAMED = 5;

/**
 * Names the items and the consequences; irreversible actions require the count to be typed.
 * @param matching the search; undefined for selected rows
 * @param promise the check before each item
 */
function BulkConfirmation<T extends { id: string }>(props: {
  act: BulkAct<T>;
  subject: BulkSubject<T>;
  items: readonly T[];
  matching: string | undefined;
  promise: string | undefined;
  warnings: readonly (string | undefined)[];
  /** Whether to save the items first, if the action offers this. */
  saving: { chosen: boolean; choose: (chosen: boolean) => void; failure: Failure | undefined };
  onConfirm: () => void;
  onCancel: () => void;
}) {
  const { act, items } = props;
  const [text, setText] = useState('');
  const count = String(items.length);
  const ready = !act.final || text.trim() === count;
  const warnings = props.warnings.filter((warning) => warning !== undefined);
  const others = items.length - NAMED;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) props.onConfirm();
      }}
    >
      <Stack gap="md">
        {props.matching !== undefined && (
          <Text size="sm">
            All that match: <strong>{props.matching}</strong>
          </Text>
        )}
        <div>
          {items.slice(0, NAMED).map((item) => (
            <Text key={item.id} size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
              <bdi>{visibleText(props.subject.nameOf(item))}</bdi>
            </Text>
          ))}
          {others > 0 && (
            <Text size="sm" c="dimmed">
              and {counted(others, 'other', 'others')}
            </Text>
          )}
        </div>
        <List spacing={4}>
          {warnings.map((warning) => (
            <List.Item key={warning}>
              <strong>{warning}</strong>
            </List.Item>
          ))}
          {props.promise !== undefined && <List.Item>{props.promise}</List.Item>}
          {act.consequences.map((consequence) => (
            <List.Item key={consequence}>{consequence}</List.Item>
          ))}
        </List>
        {act.saveFirst !== undefined && (
          <SaveFirstField about={act.saveFirst.about} chosen={props.saving.chosen} onChange={props.saving.choose} />
        )}
        {props.saving.failure !== undefined && (
          <FailurePanel title="Nothing was deleted" error={props.saving.failure} />
        )}
        {act.final && (
          <TextInput
            data-autofocus
            label={
              <Text span size="sm">
                Type the number <Code>{count}</Code> to confirm
              </Text>
            }
            inputMode="numeric"
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        <Group justify="space-between" gap="xs">
          <DeploymentBadge />
          <Group gap="xs" ml="auto">
            <Button variant="default" onClick={props.onCancel} data-autofocus={!act.final || undefined}>
              Cancel
            </Button>
            <Button type="submit" color={act.grave ? 'red.9' : undefined} disabled={!ready}>
              {act.label} {count}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}

const OUTCOMES = { 'left-out': 'left out', failed: 'failed', 'not-started': 'not started' };

function formatOutcome<T>({ outcome }: BulkResult<T>, act: BulkAct<T>): string {
  if (outcome === 'done') return act.done;
  return outcome === 'unchanged' ? (act.already?.words ?? 'nothing to do') : OUTCOMES[outcome];
}

const STATUS = { done: 'good', unchanged: 'off', 'left-out': 'off', failed: 'bad', 'not-started': 'warning' } as const;
const ORDER = ['failed', 'not-started', 'left-out', 'unchanged', 'done'] as const;

/** The result of each item, failures first, with a retry for unfinished items. */
function BulkResults<T extends { id: string }>(props: {
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
  const left = undone(results).length;
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
        <Button variant="default" leftSection={<IconDownload />} onClick={save}>
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
