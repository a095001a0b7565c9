import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import { Modal } from '@mantine/core';
import type { ListedIdentity } from '../../../../shared/identities.ts';
import { counted } from '../../../ui/counted.ts';
import { FocusOnChange } from '../../../ui/focus-on-change.tsx';
import { RunProgress } from '../../../ui/run-progress.tsx';
import { BULK_ACTS, type BulkActName } from './bulk-acts.ts';
import { BulkConfirmation } from './bulk-confirmation.tsx';
import { BulkResults } from './bulk-results.tsx';
import { useBulkRun } from './use-bulk-run.ts';

/** Confirmation, progress and results in one dialog. While it runs it closes only by way of Cancel. */
export function BulkDialog(props: {
  name: BulkActName;
  identities: readonly ListedIdentity[];
  onClose: (failedIds: string[] | undefined) => void;
}) {
  const { identities } = props;
  const act = BULK_ACTS[props.name];
  const { state, run, cancel, leave } = useBulkRun(act, identities);
  const close = () => props.onClose(leave());
  const many = counted(identities.length, 'identity', 'identities');
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
          <BulkConfirmation act={act} identities={identities} onConfirm={run} onCancel={close} />
        )}
        {state.phase === 'running' && (
          <RunProgress
            label={act.running}
            done={state.ended}
            total={state.total}
            onCancel={state.cancelled ? undefined : cancel}
          />
        )}
        {state.phase === 'ended' && <BulkResults act={act} results={state.results} onRetry={run} onClose={close} />}
      </FocusOnChange>
    </Modal>
  );
}
