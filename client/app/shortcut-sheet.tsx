import '@mantine/core/styles/ScrollArea.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import { Group, Kbd, Modal, Stack, Text } from '@mantine/core';
import { PAGES } from './navigation.ts';

const KEYS: readonly (readonly [string, readonly string[]])[] = [
  ['Go to or do', ['Ctrl', 'K']],
  ['This sheet', ['?']],
  ['From row to row of a table', ['↑', '↓']],
  ['Close what is open', ['Esc']],
];

export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Keys" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="xs">
        {[...KEYS, ...PAGES.map(({ label, letter }) => [label, ['g', letter]] as const)].map(([what, keys]) => (
          <Group key={what} justify="space-between" wrap="nowrap">
            <Text size="sm">{what}</Text>
            <Group gap={6} wrap="nowrap">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </Group>
          </Group>
        ))}
      </Stack>
    </Modal>
  );
}
