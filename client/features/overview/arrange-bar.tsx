import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { WIDGETS_MAX } from '../../../shared/dashboard.ts';
import { counted } from '../../lib/format-count.ts';
import { type Failure, FailureNote } from '../../ui/failure-panel.tsx';
import { useScrollRoom } from '../../ui/hooks.tsx';
import {
  IconArrowBackUp,
  IconArrowDown,
  IconArrowLeft,
  IconArrowUp,
  IconGitMerge,
  IconPlus,
  IconRestore,
} from '../../ui/icons.tsx';
import { IconArrowRight } from '../../ui/shell-icons.tsx';
import type { Direction, GridWidget, Step } from './arrangement.ts';
import classes from './grid.module.css';
import type { SaveState } from './layout.ts';
import { ARRANGING_HINT, type Arranging } from './use-arranging.ts';

const MOVES: [Direction, string, typeof IconArrowLeft][] = [
  ['left', 'Left', IconArrowLeft],
  ['right', 'Right', IconArrowRight],
  ['up', 'Up', IconArrowUp],
  ['down', 'Down', IconArrowDown],
];
const SIZES: [Direction, string][] = [
  ['right', 'Wider'],
  ['left', 'Narrower'],
  ['down', 'Taller'],
  ['up', 'Shorter'],
];

/** Buttons for everything that dragging and keys do faster. */
export function ArrangeBar(props: {
  arranging: Arranging;
  selected: GridWidget | undefined;
  /** The widgets that are not shown. */
  addable: readonly GridWidget[];
  /** No more can be added. */
  isFull: boolean;
  saving: SaveState;
  canUndo: boolean;
  onRetry: () => void;
}) {
  const { arranging, selected, addable, saving, canUndo } = props;
  const act = (step: Step) => (): void => {
    if (selected !== undefined) arranging.step(selected.id, step);
  };
  const add = ({ id, title }: GridWidget) => (
    <Button
      key={id}
      size="compact-sm"
      variant="light"
      leftSection={<IconPlus size={14} />}
      onClick={() => arranging.add(id)}
      aria-label={`Add ${title}`}
    >
      {title}
    </Button>
  );
  const removed = addable.filter(({ onDemand }) => !onDemand);
  const onDemand = addable.filter((widget) => widget.onDemand);
  const bar = useRef<HTMLElement>(null);
  useScrollRoom(bar, 'Top');
  return (
    <section ref={bar} className={classes.bar} aria-label="Arrange the overview" data-unprinted>
      <Text size="sm" id={ARRANGING_HINT} className={classes.hint}>
        Drag a widget by its handle to move it, or by its corner to resize it. With the handle focused, arrow keys move
        the widget, Shift and arrow keys resize it, and Delete removes it. Every change is saved.
      </Text>
      <Group gap="xs">
        {selected !== undefined && (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form
          <div role="group" aria-label={selected.title} className={classes.group}>
            <b className={classes.name}>{selected.title}</b>
            {MOVES.map(([direction, label, Icon]) => (
              <Button
                key={label}
                size="compact-sm"
                variant="default"
                onClick={act({ act: 'move', direction })}
                aria-label={`Move ${selected.title} ${label.toLowerCase()}`}
                title={`Move ${label.toLowerCase()}`}
              >
                <Icon />
              </Button>
            ))}
            {SIZES.map(([direction, label]) => (
              <Button key={label} size="compact-sm" variant="default" onClick={act({ act: 'resize', direction })}>
                {label}
              </Button>
            ))}
          </div>
        )}
        <div className={classes.group}>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconArrowBackUp />}
            onClick={arranging.undo}
            aria-disabled={!canUndo}
            data-disabled={!canUndo || undefined}
          >
            Undo
          </Button>
          <Button size="compact-sm" variant="default" leftSection={<IconRestore />} onClick={arranging.reset}>
            Reset
          </Button>
        </div>
      </Group>
      <div className={classes.group}>
        <Text size="sm" span data-add-widget tabIndex={-1}>
          {props.isFull
            ? `There are ${WIDGETS_MAX} widgets, as many as there can be.`
            : removed.length === 0
              ? 'Every widget is shown.'
              : 'Add'}
        </Text>
        {!props.isFull && removed.map(add)}
      </div>
      {!props.isFull && onDemand.length > 0 && (
        <div className={classes.group}>
          <Text size="sm" span>
            Add a view
          </Text>
          {onDemand.map(add)}
        </div>
      )}
      <div className={classes.outcome}>
        {/* The key makes the same words twice two announcements. */}
        <div role="status" aria-live="polite" className={classes.said}>
          <span key={arranging.said.turn}>{arranging.said.text}</span>
        </div>
        <Saving saving={saving} onRetry={props.onRetry} />
      </div>
    </section>
  );
}

function Saving({ saving, onRetry }: { saving: SaveState; onRetry: () => void }) {
  if (saving.kind !== 'failed')
    return (
      <Text size="xs" c="dimmed" span data-saving={saving.kind}>
        {saving.kind === 'saving' ? 'Saving…' : saving.kind === 'saved' ? 'Saved' : 'Not saved'}
      </Text>
    );
  return (
    <Group gap="xs">
      <FailureNote error={saving.error as Failure} />
      <Button size="compact-xs" variant="default" onClick={onRetry}>
        Save again
      </Button>
    </Group>
  );
}

/**
 * Another layout was stored in the meantime, most likely from the operator's own other tab: one has to be discarded.
 */
export function ConflictNotice(props: {
  theirs: number;
  mine: number;
  onTakeTheirs: () => void;
  onKeepMine: () => void;
}) {
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  const widgets = (count: number): string => counted(count, 'widget', 'widgets');
  return (
    <Alert
      role="alert"
      mb="md"
      variant="default"
      icon={<IconGitMerge size={24} />}
      title="The overview was changed elsewhere"
    >
      <Stack gap="xs">
        <Text size="sm">
          It was saved in another tab or browser after you opened it here, with {widgets(props.theirs)}; yours has{' '}
          {widgets(props.mine)}. Nothing is overwritten until you choose.
        </Text>
        <Group gap="xs">
          <Button ref={first} size="xs" variant="default" onClick={props.onTakeTheirs}>
            Take theirs
          </Button>
          <Button size="xs" variant="default" onClick={props.onKeepMine}>
            Keep mine
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
