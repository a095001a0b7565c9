import { Button, Group, Modal, Stack, Text } from '@mantine/core';

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
