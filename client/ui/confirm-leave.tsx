import { Button, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
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
  const { title, text, leave } = TEXTS[what];
  return (
    // Above other dialogs, since the navigation may start in a dialog.
    <Modal opened onClose={blocker.reset} title={title} closeButtonProps={{ 'aria-label': 'Stay' }} zIndex={400}>
      <Stack>
        <Text size="sm">{text}</Text>
        <DialogFooter onCancel={blocker.reset} cancel="Stay">
          <Button color="red.9" onClick={blocker.proceed}>
            {leave}
          </Button>
        </DialogFooter>
      </Stack>
    </Modal>
  );
}
