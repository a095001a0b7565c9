import { Group, Kbd, SimpleGrid, Stack, Title } from '@mantine/core';
import { Modal } from '../ui/modal.tsx';
import { allPages } from './navigation.tsx';

type Key = readonly [what: string, ...keys: readonly (readonly string[])[]];

const EVERYWHERE: readonly Key[] = [
  ['Search or jump to', ['Ctrl', 'K']],
  ['Search on this page', ['/']],
  ['Filter this page', ['f']],
  ['Focus Undo', ['u']],
  ['Refresh the list', ['r']],
  ['Next and previous record of the list', ['j'], ['k']],
  ['Collapse or expand navigation', ['[']],
  ['Keyboard shortcuts', ['?']],
  ['Close', ['Esc']],
];
const IN_TABLES: readonly Key[] = [
  ['Next row', ['↓'], ['j']],
  ['Previous row', ['↑'], ['k']],
  ['First and last row', ['Home'], ['End']],
  ['Open the row', ['Enter']],
  ['Select the row', ['x'], ['Space']],
  ['Select a range', ['Shift', '↓'], ['Shift', '↑']],
  ['Next and previous page', ['n'], ['p']],
];

export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const pages = allPages().map(({ label, letter }): Key => [label, ['g', letter]]);
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" size="lg">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xl">
        <Stack gap="lg">
          <Keys title="Everywhere" keys={EVERYWHERE} />
          <Keys title="In tables" keys={IN_TABLES} />
        </Stack>
        <Keys title="Go to a page" keys={pages} />
      </SimpleGrid>
    </Modal>
  );
}

const Keys = ({ title, keys }: { title: string; keys: readonly Key[] }) => (
  <section>
    <Title order={3} fz="xs" c="dimmed" mb="xs">
      {title}
    </Title>
    <Stack component="dl" gap="xs" m={0} fz="sm">
      {keys.map(([what, ...chords]) => (
        <Group key={what} justify="space-between" wrap="nowrap">
          <dt>{what}</dt>
          <Group component="dd" gap="sm" m={0} wrap="nowrap" flex="none">
            {chords.map((chord) => (
              <Group component="span" key={chord.join(' ')} gap={4}>
                {chord.map((key) => (
                  <Kbd key={key}>{key}</Kbd>
                ))}
              </Group>
            ))}
          </Group>
        </Group>
      ))}
    </Stack>
  </section>
);
