import { ActionIcon, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useRef } from 'react';
import { WIDGETS_MAX } from '../../../shared/dashboard.ts';
import { SmallButton } from '../../ui/buttons.tsx';
import { FailureNote } from '../../ui/failure-panel.tsx';
import { useScrollRoom } from '../../ui/hooks.tsx';
import { IconArrowBackUp, IconArrowDown, IconArrowLeft, IconArrowUp, IconPlus, IconRestore } from '../../ui/icons.tsx';
import { IconArrowRight } from '../../ui/shell-icons.tsx';
import { type Arrangement, addable, type GridWidget, isFull } from './arrangement.ts';
import classes from './grid.module.css';
import type { Layout } from './layout.ts';
import { type Arranging, RESIZED } from './use-arranging.ts';

const ARROWS = [
  ['left', IconArrowLeft],
  ['right', IconArrowRight],
  ['up', IconArrowUp],
  ['down', IconArrowDown],
] as const;
const SMALL = { size: 'xs', variant: 'default' } as const;

export const ARRANGING_HINT = 'arranging-hint';

/** Buttons for what dragging and the arrow keys do, and to add widgets, undo and reset. */
export function ArrangeBar(props: {
  arranging: Arranging;
  layout: Layout;
  arrangement: Arrangement;
  offered: readonly GridWidget[];
}) {
  const { arranging, layout, arrangement, offered } = props;
  const { selected, announcement } = arranging;
  const bar = useRef<HTMLDivElement>(null);
  useScrollRoom(bar, 'Top');
  const full = isFull(arrangement);
  const missing = full ? [] : addable(arrangement, offered);
  return (
    <Paper
      component="section"
      ref={bar}
      withBorder
      shadow="sm"
      px="md"
      py="sm"
      mb="md"
      className={classes.bar}
      aria-label="Arrange the overview"
      data-arrange-bar
      data-unprinted
    >
      <Stack gap="xs">
        <Text size="sm" c="dimmed" id={ARRANGING_HINT} display={{ base: 'none', sm: 'block' }}>
          Drag a widget by its handle to move it, or by its corner to resize it. With the focus on the handle, press an
          arrow key to move the widget, Shift and an arrow key to resize it, Delete to remove it, or Escape to finish.
          Changes are saved automatically.
        </Text>
        <Group gap="xs">
          {selected !== undefined && (
            <Group gap={6} role="group" aria-label={selected.title}>
              <Text span size="sm" fw={600}>
                {selected.title}
              </Text>
              {ARROWS.map(([direction, Arrow]) => (
                <ActionIcon
                  key={direction}
                  {...SMALL}
                  onClick={() => arranging.step(selected, { act: 'move', direction })}
                  aria-label={`Move ${selected.title} ${direction}`}
                  title={`Move ${direction}`}
                >
                  <Arrow />
                </ActionIcon>
              ))}
              {ARROWS.map(([direction]) => (
                <Button
                  key={direction}
                  {...SMALL}
                  tt="capitalize"
                  onClick={() => arranging.step(selected, { act: 'resize', direction })}
                >
                  {RESIZED[direction]}
                </Button>
              ))}
            </Group>
          )}
          <Button
            {...SMALL}
            leftSection={<IconArrowBackUp />}
            onClick={arranging.undo}
            aria-disabled={layout.undo === undefined}
            data-disabled={layout.undo === undefined || undefined}
          >
            Undo
          </Button>
          <Button {...SMALL} leftSection={<IconRestore />} onClick={arranging.reset}>
            Reset
          </Button>
        </Group>
        <Group gap={6} className={classes.additions}>
          <Text size="sm" span data-add-widget tabIndex={-1}>
            {full
              ? `The overview is full: it can have ${WIDGETS_MAX} widgets.`
              : missing.length === 0
                ? 'All widgets are on the overview.'
                : 'Add'}
          </Text>
          {missing.map((widget) => (
            <Button
              key={widget.id}
              size="xs"
              variant="light"
              leftSection={<IconPlus size={14} />}
              onClick={() => arranging.add(widget)}
              aria-label={`Add ${widget.title}`}
            >
              {widget.title}
            </Button>
          ))}
        </Group>
        <Group justify="space-between" align="baseline" gap="0 1rem" mih="1.4rem">
          {/* The key makes screen readers announce repeated text again. */}
          <Text size="sm" role="status" aria-live="polite">
            <span key={announcement.count}>{announcement.text}</span>
          </Text>
          <Saving layout={layout} />
        </Group>
      </Stack>
    </Paper>
  );
}

const SAVING = { saved: 'Saved', saving: 'Saving…' };

function Saving({ layout: { saving, retry } }: { layout: Layout }) {
  if (saving.kind !== 'failed')
    return (
      <Text size="xs" c="dimmed" span data-saving={saving.kind}>
        {SAVING[saving.kind]}
      </Text>
    );
  return (
    <Group gap="xs">
      <FailureNote error={saving.error} />
      <SmallButton onClick={retry}>Try again</SmallButton>
    </Group>
  );
}
