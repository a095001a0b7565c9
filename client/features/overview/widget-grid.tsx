import { ActionIcon, Group, Paper, Stack, Text } from '@mantine/core';
import {
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent as ReactPointerEvent,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { GRID_COLUMNS, type WidgetPlacement } from '../../../shared/dashboard.ts';
import { useCan } from '../../api/session.ts';
import { isCommand } from '../../lib/keys.ts';
import { IconButton } from '../../ui/buttons.tsx';
import { IconChartBar, IconGripVertical, IconTable } from '../../ui/icons.tsx';
import { IconChevronRight, IconX } from '../../ui/shell-icons.tsx';
import { ARRANGING_HINT } from './arrange-bar.tsx';
import { columnsOf, fitted, type GridWidget, inReadingOrder, placedAt, type Step } from './arrangement.ts';
import classes from './grid.module.css';
import { type Arranging, dragHandleId, stepOf } from './use-arranging.ts';
import { DestinationLink, type Widget } from './widget-parts.tsx';

type BeginDrag = ReturnType<typeof useDragging>['beginDrag'];

/** All widgets in twelve, two or one columns, depending on the screen. */
export function WidgetGrid(props: {
  grid: RefObject<HTMLDivElement | null>;
  widgets: readonly Widget[];
  placements: readonly WidgetPlacement[];
  /** Undefined unless the operator is arranging the overview. */
  arranging: Arranging | undefined;
}) {
  const { grid, widgets, placements, arranging } = props;
  const { drag, beginDrag } = useDragging({
    grid,
    placements,
    onDrop: (...drop) => arranging?.place(...drop),
  });

  const previewed = drag?.preview ?? placements;
  const landing = previewed.find(({ id }) => id === drag?.id);
  return (
    <div ref={grid} className={classes.grid} data-dragging={drag !== undefined || undefined}>
      {/* Not in the order of the preview: moving an element in the document releases its pointer capture. */}
      {inReadingOrder(placements).map(({ id }) => {
        const widget = widgets.find((one) => one.id === id);
        const placement = previewed.find((one) => one.id === id);
        if (widget === undefined || placement === undefined) return null;
        const dragged = drag?.id === id ? drag : undefined;
        return (
          <div
            key={id}
            data-widget={id}
            data-dragged={dragged?.act}
            data-wide={placement.w > 6 || undefined}
            className={classes.cell}
            style={{
              ...areaOf(placement),
              ...(dragged?.act === 'move' && {
                transform: `translate(${dragged.offset.x}px, ${dragged.offset.y}px)`,
              }),
            }}
          >
            <WidgetFrame widget={widget} rows={rowsIn(placement.h)} arranging={arranging} beginDrag={beginDrag} />
          </div>
        );
      })}
      {landing !== undefined && (
        <div className={`${classes.cell} ${classes.landing}`} style={areaOf(landing)} aria-hidden />
      )}
    </div>
  );
}

const areaOf = ({ x, y, w, h }: WidgetPlacement) =>
  ({ '--x': x + 1, '--y': y + 1, '--w': w, '--h': h }) as CSSProperties;

/** The gap between cells, and the height of a row with its gap: see `grid.module.css`. */
const GAP_REM = 1;
const ROW_REM = 4.75;

/** How many list rows of 1.6rem fit under the title of a widget. */
const rowsIn = (h: number): number => Math.floor((h * ROW_REM - 4.625) / 1.6);

interface Frame {
  widget: Widget;
  arranging: Arranging | undefined;
  beginDrag: BeginDrag;
}

/** A widget with its title, and with controls while the operator is arranging the overview. */
function WidgetFrame({ widget, rows, arranging, beginDrag }: Frame & { rows: number }) {
  const { id, title, chart, destination, Body } = widget;
  const may = useCan();
  const [asTable, setAsTable] = useState(false);
  const heading = useId();
  return (
    <Paper
      withBorder
      component="section"
      className={classes.frame}
      aria-labelledby={heading}
      data-selected={arranging?.selected?.id === id || undefined}
    >
      <Group component="header" gap={6} wrap="nowrap" h="1.75rem" flex="none">
        {arranging !== undefined && <DragHandle widget={widget} arranging={arranging} beginDrag={beginDrag} />}
        <Text component="h2" size="sm" fw={600} truncate flex={1} id={heading} className={classes.title}>
          <DestinationLink destination={destination} c="inherit">
            {title}
            {destination !== undefined && may(destination.needs) && <IconChevronRight size={14} />}
          </DestinationLink>
        </Text>
        {chart && arranging === undefined && (
          <IconButton
            label={`${title} as a table`}
            title={asTable ? 'Show as a chart' : 'Show as a table'}
            c="dimmed"
            onClick={() => setAsTable(!asTable)}
            aria-pressed={asTable}
          >
            {asTable ? <IconChartBar /> : <IconTable />}
          </IconButton>
        )}
        {arranging !== undefined && (
          <IconButton label={`Remove ${title}`} title="Remove" c="dimmed" onClick={() => arranging.remove(widget)}>
            <IconX />
          </IconButton>
        )}
      </Group>
      <Stack flex={1} mih={0} gap="0.25rem" opacity={arranging && 0.65} inert={arranging !== undefined}>
        <Body id={id} asTable={asTable} rows={rows} />
      </Stack>
      {arranging !== undefined && (
        <span className={classes.corner} onPointerDown={(event) => beginDrag(event, widget, 'resize')} aria-hidden />
      )}
    </Paper>
  );
}

function DragHandle({ widget, arranging, beginDrag }: Frame & { arranging: Arranging }) {
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = stepOf(event);
    if (step !== undefined) arranging.step(widget, step);
    else if (event.key === 'Delete' || event.key === 'Backspace') arranging.remove(widget);
    else if (event.key === 'Escape' && event.currentTarget.closest('[data-dragging]') === null) arranging.end();
    else if (isCommand(event, 'z') && !event.shiftKey) arranging.undo();
    else return;
    event.preventDefault();
  };
  return (
    <ActionIcon
      id={dragHandleId(widget.id)}
      variant="subtle"
      size="xs"
      className={classes.dragHandle}
      aria-label={`Move or resize ${widget.title}`}
      aria-describedby={ARRANGING_HINT}
      aria-pressed={arranging.selected?.id === widget.id}
      onPointerDown={(event) => beginDrag(event, widget, 'move')}
      onClick={() => arranging.select(widget.id)}
      onKeyDown={onKeyDown}
    >
      <IconGripVertical />
    </ActionIcon>
  );
}

interface Drag {
  id: string;
  act: Step['act'];
  /** The placements if the widget were dropped now. */
  preview: WidgetPlacement[];
  /** How far the dragged widget is from its place in the preview, in pixels. */
  offset: { x: number; y: number };
}

/** Smaller movements count as clicks. */
const CLICK_PX = 4;
/** The page scrolls if the pointer is this close to the bottom of the window, or twice as far from the top. */
const EDGE_PX = 72;

/** Moves and resizes widgets with a pointer; Escape cancels. Requires the twelve-column grid. */
function useDragging(props: {
  grid: RefObject<HTMLElement | null>;
  placements: readonly WidgetPlacement[];
  onDrop: (widget: GridWidget, act: Step['act'], next: WidgetPlacement[]) => void;
}) {
  const { grid, placements, onDrop } = props;
  const [drag, setDrag] = useState<Drag>();
  const stop = useRef<() => void>(undefined);
  useEffect(() => () => stop.current?.(), []);

  function beginDrag(event: ReactPointerEvent, widget: GridWidget, act: Step['act']): void {
    const { id, min } = widget;
    const start = placements.find((one) => one.id === id);
    if (event.button !== 0 || grid.current === null || start === undefined) return;
    if (columnsOf(grid.current) < GRID_COLUMNS) return;
    stop.current?.();
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    const cell = { width: (grid.current.clientWidth + GAP_REM * rem) / GRID_COLUMNS, height: ROW_REM * rem };
    const from = { x: event.clientX + scrollX, y: event.clientY + scrollY };
    let latest: Drag | undefined;
    const listeners = new AbortController();
    const end = (): void => {
      listeners.abort();
      setDrag(undefined);
    };
    stop.current = end;

    function onMove({ pointerId, clientX, clientY }: PointerEvent): void {
      if (pointerId !== event.pointerId || start === undefined) return;
      const by = { x: clientX + scrollX - from.x, y: clientY + scrollY - from.y };
      if (latest === undefined && Math.hypot(by.x, by.y) < CLICK_PX) return;
      if (clientY > innerHeight - EDGE_PX) scrollBy(0, 14);
      else if (clientY < EDGE_PX * 2) scrollBy(0, -14);
      const x = Math.round(by.x / cell.width);
      const y = Math.round(by.y / cell.height);
      const target =
        act === 'move'
          ? { ...start, x: start.x + x, y: start.y + y }
          : { ...start, w: Math.min(start.w + x, GRID_COLUMNS - start.x), h: start.h + y };
      const preview = placedAt(placements, fitted(target, min));
      const landing = preview.find((one) => one.id === id) ?? start;
      latest = {
        id,
        act,
        preview,
        offset: { x: by.x - (landing.x - start.x) * cell.width, y: by.y - (landing.y - start.y) * cell.height },
      };
      setDrag(latest);
    }
    const { signal } = listeners;
    addEventListener('pointermove', onMove, { signal });
    addEventListener('pointercancel', end, { signal });
    addEventListener('keydown', ({ key }) => key === 'Escape' && end(), { signal });
    addEventListener(
      'pointerup',
      () => {
        end();
        if (latest !== undefined && !isSame(latest.preview, placements)) onDrop(widget, act, latest.preview);
      },
      { signal },
    );
  }

  return { drag, beginDrag };
}

const isSame = (one: readonly WidgetPlacement[], other: readonly WidgetPlacement[]): boolean =>
  one.every((a) => other.some((b) => a.id === b.id && a.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h));
