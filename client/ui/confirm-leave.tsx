import { Button, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { DialogFooter, Modal } from './modal.tsx';

const TEXTS = {
  changes: {
    title: 'Leave without saving?',
    text: 'You have unsaved changes.',
    leave: 'Discard changes',
  },
  import: {
    title: 'Stop the import?',
    text: 'The import stops after the current request. To continue later, choose the same file again.',
    leave: 'Stop and leave',
  },
  export: {
    title: 'Stop the export?',
    text: 'Everything exported so far will be lost.',
    leave: 'Stop and leave',
  },
} as const;

/**
 * Asks for confirmation when leaving would lose data: with the returned dialog for navigation within the app, with the
 * browser's own dialog before a reload or when the tab closes.
 * @param isLost called at each attempt to leave
 */
export function useConfirmLeave(isLost: () => boolean, what: keyof typeof TEXTS): ReactNode {
  const blocker = useBlocker({ shouldBlockFn: isLost, enableBeforeUnload: isLost, withResolver: true });
  if (blocker.status !== 'blocked') return null;
  return <LeaveDialog what={what} onStay={blocker.reset} onLeave={blocker.proceed} />;
}

/**
 * The same for a dialog that is not in the URL, also when it is closed.
 * @returns `close` to call instead of `onClose`, and the dialog with the question
 */
export function useConfirmClose(isLost: () => boolean, onClose: () => void) {
  const [isAsking, setAsking] = useState(false);
  const leaveDialog = useConfirmLeave(isLost, 'changes');
  return {
    close: () => (isLost() ? setAsking(true) : onClose()),
    leaveDialog: isAsking ? (
      <LeaveDialog what="changes" onStay={() => setAsking(false)} onLeave={onClose} />
    ) : (
      leaveDialog
    ),
  };
}

function LeaveDialog(props: { what: keyof typeof TEXTS; onStay: () => void; onLeave: () => void }) {
  const { title, text, leave } = TEXTS[props.what];
  return (
    // Above other dialogs, since the navigation may start in a dialog.
    <Modal opened onClose={props.onStay} title={title} closeButtonProps={{ 'aria-label': 'Stay' }} zIndex={400}>
      <Stack>
        <Text size="sm">{text}</Text>
        <DialogFooter onCancel={props.onStay} cancel="Stay">
          <Button color="red.9" onClick={props.onLeave}>
            {leave}
          </Button>
        </DialogFooter>
      </Stack>
    </Modal>
  );
}
