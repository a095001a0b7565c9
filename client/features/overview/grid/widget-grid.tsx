import { type CSSProperties, type RefObject, useRef } from 'react';
import type { WidgetPlacement } from '../../../../shared/dashboard.ts';
import type { Widget } from '../widgets/catalogue.ts';
import { inReadingOrder } from './placement.ts';
import type { Arranging } from './use-arranging.ts';
import { useDragging } from './use-dragging.ts';
import { useGlide } from './use-glide.ts';
import { WidgetFrame } from './widget-frame.tsx';
import classes from './widget-grid.module.css';

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
