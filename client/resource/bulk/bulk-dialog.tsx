import { Modal } from '@mantine/core';
import { useState } from 'react';
import { useOperator } from '../../api/session.ts';
import { counted } from '../../format/counted.ts';
import { FocusOnChange } from '../../ui/hooks/focus-on-change.tsx';
import { RunProgress } from '../../ui/loading/run-progress.tsx';
import { useSaveFirst } from '../save-first/use-save-first.ts';
import type { BulkAct, BulkMatching, BulkSubject } from './bulk-act.ts';
import { BulkConfirmation } from './bulk-confirmation.tsx';
import { BulkFinding, useFound } from './bulk-finding.tsx';
import { BulkResults } from './bulk-results.tsx';
import { checkBefore, useBulkRun } from './use-bulk-run.ts';

/**
 * Confirmation, progress and results in one dialog. While running it can only be cancelled.
 * @param items the chosen rows; undefined for all that match, which are found when it opens
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
  const found = useFound(chosen ? undefined : matching);
  const operator = useOperator();
  const all = props.items ?? found.data?.items ?? [];
  const items = act.spares === undefined ? all : all.filter((item) => !act.spares?.holds(item, operator));
  const spared = items.length < all.length ? act.spares?.words : undefined;
  const checked = !chosen || matching?.checksChosen ? matching : undefined;
  const { state, run, cancel, leave } = useBulkRun(act, subject, items, checkBefore(act, subject, checked?.check));
  const saving = useSaveFirst(
    act.saveFirst,
    items.map(({ id }) => id),
  );
  const [saves, setSaves] = useState(false);
  const step = items.length === 0 ? 'find' : saving.read === undefined ? state.phase : 'saving';
  const busy = step === 'running' || step === 'saving';
  const close = () => props.onClose(leave());
  const many =
    items.length === 0
      ? chosen
        ? subject.name.many
        : 'all that match'
      : counted(items.length, subject.name.one, subject.name.many);
  return (
    <Modal
      opened
      size={step === 'ended' ? 'xl' : 'lg'}
      onClose={() => !busy && close()}
      title={`${act.title} ${many}${state.phase === 'confirm' ? '?' : ''}`}
      closeButtonProps={{ 'aria-label': 'Close', disabled: busy }}
    >
      <FocusOnChange of={step}>
        {step === 'find' && <BulkFinding subject={subject} found={found} spared={spared} onClose={close} />}
        {step === 'confirm' && (
          <BulkConfirmation
            act={act}
            subject={subject}
            items={items}
            matching={chosen ? undefined : matching?.words}
            promise={checked?.promise}
            missing={found.data?.missing}
            spared={spared}
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
