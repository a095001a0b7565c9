import { Button, Skeleton } from '@mantine/core';
import { useMemo, useRef, useState } from 'react';
import { roleName } from '../../../shared/capabilities.ts';
import { useOperator } from '../../api/session.ts';
import { deploymentName } from '../../deployment.ts';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { useFocusAfterRender } from '../../ui/hooks.tsx';
import { IconCheck, IconLayoutGrid } from '../../ui/icons.tsx';
import { PageHeading } from '../../ui/layout.tsx';
import { ArrangeBar, ConflictNotice } from './arrange-bar.tsx';
import { addable, arrangementOf, isFull } from './arrangement.ts';
import classes from './grid.module.css';
import { standardFor, useLayout } from './layout.ts';
import { useArranging } from './use-arranging.ts';
import { firstDragHandle } from './use-dragging.ts';
import { useOffered } from './widget-catalogue.ts';
import { WidgetGrid } from './widget-grid.tsx';

/** The landing page: widgets in the operator's own arrangement. */
export function OverviewPage() {
  const operator = useOperator();
  const { role } = operator;
  const [isArranging, setArranging] = useState(false);
  const offered = useOffered(role, isArranging);
  const standard = useMemo(() => standardFor(offered), [offered]);
  const layout = useLayout(offered, standard);
  const grid = useRef<HTMLDivElement>(null);
  const arranging = useArranging(layout, offered, grid);
  const focusAfterRender = useFocusAfterRender();
  const { arrangement, saving } = layout;
  const { error } = layout.question;
  const shown = arrangement?.shown ?? (error === null ? undefined : arrangementOf(null, offered, standard).shown);
  function chosen(choice: () => void): void {
    choice();
    focusAfterRender(() => document.querySelector<HTMLElement>('[data-page-heading]'));
  }

  return (
    <>
      <PageHeading
        title="Overview"
        about={`${deploymentName}. Signed in as ${operator.email}, ${roleName(operator.role)}.`}
        actions={
          <Button
            variant={isArranging ? 'filled' : 'default'}
            leftSection={isArranging ? <IconCheck size={18} /> : <IconLayoutGrid size={18} />}
            disabled={arrangement === undefined}
            aria-pressed={isArranging}
            onClick={() => {
              setArranging(!isArranging);
              if (!isArranging && shown?.[0] !== undefined) focusAfterRender(firstDragHandle);
            }}
          >
            {isArranging ? 'Done' : 'Arrange'}
          </Button>
        }
      />
      {arrangement === undefined && error !== null && (
        <FailurePanel
          error={error}
          title="Your arrangement could not be loaded. This is the standard overview"
          onRetry={() => void layout.question.refetch()}
        />
      )}
      {saving.kind === 'conflict' && (
        <ConflictNotice
          theirs={arrangementOf(saving.theirs.layout, offered, standard).shown.length}
          mine={shown?.length ?? 0}
          onTakeTheirs={() => chosen(layout.takeTheirs)}
          onKeepMine={() => chosen(layout.keepMine)}
        />
      )}
      {isArranging && arrangement !== undefined && (
        <ArrangeBar
          arranging={arranging}
          selected={offered.find(({ id }) => id === arranging.selected)}
          addable={addable(arrangement, offered)}
          isFull={isFull(arrangement)}
          saving={saving}
          canUndo={layout.undo !== undefined}
          onRetry={layout.retry}
        />
      )}
      <div className={classes.room}>
        {shown === undefined ? (
          <Skeleton height="24rem" />
        ) : (
          <WidgetGrid
            grid={grid}
            widgets={offered}
            placements={shown}
            arranging={isArranging ? arranging : undefined}
          />
        )}
      </div>
    </>
  );
}
