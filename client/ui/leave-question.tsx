import { Button, Group, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Modal } from './modal.tsx';

/** Asks before a running task is left: with a dialog within the app, by the browser for a reload or closed tab. */
export function useLeaveQuestion(running: boolean, what: Running): ReactNode {
  const blocker = useBlocker({
    shouldBlockFn: () => running,
    enableBeforeUnload: () => running,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return <LeaveDialog what={what} onStay={blocker.reset} onLeave={blocker.proceed} />;
}

const WORDS = {
  import: 'The import ends after the current request. Its progress is kept: choose the same file to continue.',
  export: 'The export ends, and everything read so far is lost.',
} as const;

export type Running = keyof typeof WORDS;

/** Asks before leaving the page ends a run. */
export function LeaveDialog({ what, onStay, onLeave }: { what: Running; onStay: () => void; onLeave: () => void }) {
  return (
    <Modal opened onClose={onStay} title={`End the ${what}?`} closeButtonProps={{ 'aria-label': 'Stay' }} zIndex={400}>
      <Stack>
        <Text size="sm">{WORDS[what]}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" data-autofocus onClick={onStay}>
            Stay
          </Button>
          <Button color="red.9" onClick={onLeave}>
            End and leave
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Asks before typed work is lost. The page blocks the navigation (`useBlocker`) and passes both choices. */
export function UnsavedChangesDialog({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  return (
    <Modal
      opened
      onClose={onStay}
      title="Leave without saving?"
      closeButtonProps={{ 'aria-label': 'Stay' }}
      zIndex={400}
    >
      <Stack>
        <Text size="sm">Your changes are not saved.</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" data-autofocus onClick={onStay}>
            Stay
          </Button>
          <Button color="red.9" onClick={onLeave}>
            Discard changes
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
