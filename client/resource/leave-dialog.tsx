import { Button, Group, Modal, Stack, Text } from '@mantine/core';

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
