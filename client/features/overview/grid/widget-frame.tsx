import { ActionIcon, Paper, Title } from '@mantine/core';
import { type KeyboardEvent, type PointerEvent, useId, useState } from 'react';
import { IconChevronRight } from '../../../resource/icons.ts';
import { IconX } from '../../../ui/icons.ts';
import { IconChartBar, IconGripVertical, IconTable } from '../overview-icons.ts';
import { bodyOf } from '../widgets/bodies.tsx';
import type { Widget } from '../widgets/catalogue.ts';
import { DestinationLink } from '../widgets/destination-link.tsx';
import { useOpenDestination } from '../widgets/use-open-destination.ts';
import { dragHandleId } from './drag-handle.ts';
import { ARRANGING_HINT, stepOf } from './keys.ts';
import type { Step } from './steps.ts';
import classes from './widget-frame.module.css';

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
