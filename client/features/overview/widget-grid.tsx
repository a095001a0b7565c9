import { ActionIcon, Paper, Title } from '@mantine/core';
import {
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useId,
  useRef,
  useState,
} from 'react';
import type { WidgetPlacement } from '../../../shared/dashboard.ts';
import { IconChartBar, IconGripVertical, IconTable } from '../../ui/icons.tsx';
import { IconChevronRight, IconX } from '../../ui/shell-icons.tsx';
import { inReadingOrder, type Step } from './arrangement.ts';
import { DestinationLink, useOpenDestination } from './destinations.tsx';
import classes from './grid.module.css';
import { ARRANGING_HINT, type Arranging, stepOf } from './use-arranging.ts';
import { dragHandleId, useDragging, useGlide } from './use-dragging.ts';
import type { Widget } from './widget-catalogue.ts';
import { bodyOf } from './widget-registry.tsx';

/** All widgets in their places: in twelve columns, two or one, depending on the screen. */
export function WidgetGrid(props: {
  grid: RefObject<HTMLDivElement | null>;
  widgets: readonly Widget[];
  placements: readonly WidgetPlacement[];
  /** Undefined unless the overview is being arranged. */
  arranging: Arranging | undefined;
}) {
  const { grid, widgets, placements, arranging } = props;
  const widgetOf = (id: string): Widget | undefined => widgets.find((widget) => widget.id === id);
  const { drag, begin } = useDragging({
    grid,
    placements,
    leastOf: (id) => widgetOf(id)?.least ?? { w: 1, h: 1 },
    onDrop: (next, id, act) => arranging?.drop(next, id, act),
  });
  useGlide(grid, arranging !== undefined, drag?.id);

  // A pointer loses its capture when its element moves in the document, so the order changes only after the drop.
  const order = useRef<readonly string[]>([]);
  if (drag === undefined) order.current = inReadingOrder(placements).map(({ id }) => id);

  const shown = new Map((drag?.preview ?? placements).map((placement) => [placement.id, placement]));
  return (
    <div
      ref={grid}
      className={classes.grid}
      data-arranging={arranging !== undefined || undefined}
      data-dragging={drag !== undefined || undefined}
    >
      {order.current.map((id) => {
        const widget = widgetOf(id);
        const placement = shown.get(id);
        if (widget === undefined || placement === undefined) return null;
        const isDragged = drag?.id === id;
        return (
          <div
            key={id}
            data-widget={id}
            data-dragged={isDragged ? drag.act : undefined}
            data-wide={placement.w > 6 || undefined}
            className={classes.cell}
            style={
              {
                '--x': placement.x + 1,
                '--y': placement.y + 1,
                '--w': placement.w,
                '--h': placement.h,
                ...(isDragged && drag.act === 'move'
                  ? { transform: `translate(${drag.offset.x}px, ${drag.offset.y}px)` }
                  : {}),
              } as CSSProperties
            }
          >
            <WidgetFrame
              widget={widget}
              arranging={
                arranging && {
                  isSelected: arranging.selected === id,
                  select: () => arranging.select(id),
                  step: (step) => arranging.step(id, step),
                  remove: () => arranging.remove(id),
                  undo: arranging.undo,
                  beginDrag: (event, act) => begin(event, id, act),
                }
              }
            />
          </div>
        );
      })}
      {drag !== undefined && <Landing placement={shown.get(drag.id)} />}
    </div>
  );
}

/** Where the dragged widget would land. */
function Landing({ placement }: { placement: WidgetPlacement | undefined }) {
  if (placement === undefined) return null;
  const { x, y, w, h } = placement;
  return (
    <div
      className={classes.landing}
      style={{ gridColumn: `${x + 1} / span ${w}`, gridRow: `${y + 1} / span ${h}` }}
      aria-hidden
    />
  );
}

export interface FrameArranging {
  isSelected: boolean;
  select: () => void;
  step: (step: Step) => void;
  remove: () => void;
  undo: () => void;
  beginDrag: (event: PointerEvent, act: Step['act']) => void;
}

/**
 * A widget with its title, which links to the page it summarises, and its controls while the overview is being
 * arranged.
 */
export function WidgetFrame({ widget, arranging }: { widget: Widget; arranging: FrameArranging | undefined }) {
  const { id, title, drawn, destination } = widget;
  const Body = bodyOf(id);
  const open = useOpenDestination();
  const leadsTo = destination && open(destination);
  const [asTable, setAsTable] = useState(false);
  const heading = useId();
  return (
    <Paper
      withBorder
      component="section"
      className={classes.frame}
      aria-labelledby={heading}
      data-selected={arranging?.isSelected || undefined}
    >
      <header className={classes.header}>
        {arranging !== undefined && <Grip widget={widget} arranging={arranging} />}
        <Title order={2} id={heading} className={classes.title}>
          <DestinationLink destination={leadsTo} className={classes.link}>
            {title}
            {leadsTo !== undefined && <IconChevronRight size={14} className={classes.leads} />}
          </DestinationLink>
        </Title>
        {drawn && arranging === undefined && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            className={classes.tool}
            onClick={() => setAsTable(!asTable)}
            aria-pressed={asTable}
            aria-label={`${title} as a table`}
            title={asTable ? 'Show as a chart' : 'Show as a table'}
          >
            {asTable ? <IconChartBar /> : <IconTable />}
          </ActionIcon>
        )}
        {arranging !== undefined && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            className={classes.tool}
            onClick={arranging.remove}
            aria-label={`Remove ${title}`}
            title="Remove"
          >
            <IconX />
          </ActionIcon>
        )}
      </header>
      <div className={classes.body} inert={arranging !== undefined}>
        <Body id={id} asTable={asTable} />
      </div>
      {arranging !== undefined && (
        <span className={classes.corner} onPointerDown={(event) => arranging.beginDrag(event, 'resize')} aria-hidden />
      )}
    </Paper>
  );
}

function Grip({ widget, arranging }: { widget: Widget; arranging: FrameArranging }) {
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = stepOf(event);
    if (step !== undefined) arranging.step(step);
    else if (event.key === 'Delete' || event.key === 'Backspace') arranging.remove();
    else if (event.key.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey) arranging.undo();
    else return;
    event.preventDefault();
  };
  return (
    <ActionIcon
      id={dragHandleId(widget.id)}
      variant="subtle"
      size="sm"
      className={classes.dragHandle}
      aria-label={`Arrange ${widget.title}`}
      aria-describedby={ARRANGING_HINT}
      aria-pressed={arranging.isSelected}
      onPointerDown={(event) => arranging.beginDrag(event, 'move')}
      onClick={arranging.select}
      onKeyDown={onKeyDown}
    >
      <IconGripVertical />
    </ActionIcon>
  );
}
