import { counted } from '../../format/counted.ts';
import { FocusOnChange } from '../../ui/hooks/focus-on-change.tsx';
import { RunProgress } from '../../ui/loading/run-progress.tsx';
import { Modal } from '../../ui/overlay/modal.tsx';
import type { BulkAct, BulkSubject } from './bulk-act.ts';
import { BulkConfirmation } from './bulk-confirmation.tsx';
import { BulkResults } from './bulk-results.tsx';
import { useBulkRun } from './use-bulk-run.ts';

/** Confirmation, progress and results in one dialog. While running it can only be cancelled. */
export function BulkDialog<T extends { id: string }>(props: {
  act: BulkAct<T>;
  subject: BulkSubject<T>;
  items: readonly T[];
  onClose: (failedIds: string[] | undefined) => void;
}) {
  const { act, subject, items } = props;
  const { state, run, cancel, leave } = useBulkRun(act, subject, items);
  const close = () => props.onClose(leave());
  const many = counted(items.length, subject.name.one, subject.name.many);
  return (
    <Modal
      opened
      size={state.phase === 'ended' ? 'xl' : 'lg'}
      onClose={() => state.phase !== 'running' && close()}
      title={`${act.title} ${many}${state.phase === 'confirm' ? '?' : ''}`}
      closeButtonProps={{ 'aria-label': 'Close', disabled: state.phase === 'running' }}
    >
      <FocusOnChange of={state.phase}>
        {state.phase === 'confirm' && (
          <BulkConfirmation act={act} subject={subject} items={items} onConfirm={run} onCancel={close} />
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
          <BulkResults act={act} subject={subject} results={state.results} onRetry={run} onClose={close} />
        )}
      </FocusOnChange>
    </Modal>
  );
}
