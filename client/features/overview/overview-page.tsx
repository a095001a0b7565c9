import { Box, Button, Group, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { roleName } from '../../../shared/capabilities.ts';
import { identityTotalQuery } from '../../api/identities.ts';
import { useCan, useOperator } from '../../api/session.ts';
import { deploymentName, hasPeople } from '../../deployment.ts';
import { shortened } from '../../lib/visible-text.ts';
import { LinkButton } from '../../ui/buttons.tsx';
import { useConfirmLeave } from '../../ui/confirm-leave.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { useFocusAfterRender } from '../../ui/hooks.tsx';
import { IconLayoutGrid } from '../../ui/icons.tsx';
import { PageHeading, Section } from '../../ui/layout.tsx';
import { IconCheck } from '../../ui/shell-icons.tsx';
import { toast } from '../../ui/toasts.tsx';
import { ArrangeBar } from './arrange-bar.tsx';
import { arrangementOf, type GridWidget, inReadingOrder, isFull, withAdded } from './arrangement.ts';
import { type Layout, useLayout } from './layout.ts';
import { dragHandleId, useArranging } from './use-arranging.ts';
import { useViewWidgets } from './view-widgets.tsx';
import { WidgetGrid } from './widget-grid.tsx';
import { PageAge } from './widget-parts.tsx';
import { offeredTo } from './widgets.tsx';

const route = getRouteApi('/signed-in/dashboard');

export function OverviewPage() {
  const { email, role } = useOperator();
  const [isArranging, setArranging] = useState(false);
  const { add } = route.useSearch();
  const offered = [...offeredTo(role), ...useViewWidgets(isArranging || add !== undefined)];
  const layout = useLayout(offered);
  useAdded(
    offered.find(({ id }) => id === add),
    layout,
  );
  const grid = useRef<HTMLDivElement>(null);
  const toggle = useRef<HTMLButtonElement>(null);
  const arranging = useArranging(layout, offered, grid, () => {
    setArranging(false);
    toggle.current?.focus();
  });
  const focusAfterRender = useFocusAfterRender();
  const { arrangement, error, saving } = layout;
  const placements = (arrangement ?? (error === null ? undefined : arrangementOf(null, offered)))?.placements;
  const [first] = inReadingOrder(placements ?? []);
  const leaveDialog = useConfirmLeave(() => saving.kind === 'failed', 'changes');

  return (
    <>
      <PageHeading
        title="Overview"
        about={`${deploymentName}. Signed in as ${email}, ${roleName(role)}.`}
        actions={
          <>
            <PageAge />
            <Button
              ref={toggle}
              variant={isArranging ? 'filled' : 'default'}
              leftSection={isArranging ? <IconCheck size={18} /> : <IconLayoutGrid size={18} />}
              disabled={arrangement === undefined}
              aria-pressed={isArranging}
              onClick={() => {
                setArranging(!isArranging);
                if (!isArranging && first !== undefined)
                  focusAfterRender(() => document.getElementById(dragHandleId(first.id)));
              }}
            >
              {isArranging ? 'Done' : 'Arrange'}
            </Button>
          </>
        }
      />
      {arrangement === undefined && error !== null && (
        <FailurePanel
          error={error}
          title="Your arrangement could not be loaded. This is the default overview"
          onRetry={() => void layout.refetch()}
        />
      )}
      {saving.kind === 'failed' && !isArranging && (
        <FailurePanel error={saving.error} title="Your arrangement is not saved" onRetry={layout.retry} />
      )}
      {leaveDialog}
      {!isArranging && <FirstSteps />}
      {arrangement !== undefined && isArranging && (
        <ArrangeBar arranging={arranging} layout={layout} arrangement={arrangement} offered={offered} />
      )}
      <div style={{ containerType: 'inline-size' }}>
        {placements === undefined ? (
          <Skeleton height="24rem" />
        ) : (
          <WidgetGrid
            grid={grid}
            widgets={offered}
            placements={placements}
            arranging={isArranging ? arranging : undefined}
          />
        )}
      </div>
    </>
  );
}

/** With fewer identities, most of which are operators, the numbers say nothing yet. */
const FEW = 5;

/** For a new deployment: what to do first. */
function FirstSteps() {
  const enabled = useCan()('upstreams.write') && hasPeople();
  const { data } = useQuery({ ...identityTotalQuery, enabled });
  if (!enabled || (data?.total ?? FEW) >= FEW) return null;
  return (
    <Box mb="md">
      <Section
        title="First steps"
        about="Let people sign in with providers, import them from another system, or create somebody."
      >
        <Group gap="xs">
          <LinkButton to="/connections">Connect a provider</LinkButton>
          <LinkButton variant="default" to="/identities/import">
            Import people
          </LinkButton>
          <LinkButton variant="default" to="/identities/new">
            New identity
          </LinkButton>
        </Group>
      </Section>
    </Box>
  );
}

/** Adds the widget that the URL names. */
function useAdded(widget: GridWidget | undefined, { arrangement, change }: Layout): void {
  const navigate = route.useNavigate();
  const focusAfterRender = useFocusAfterRender();
  const handled = useRef<string>(undefined);
  useEffect(() => {
    if (widget === undefined || arrangement === undefined || handled.current === widget.id) return;
    handled.current = widget.id;
    void navigate({ search: {}, replace: true, resetScroll: false });
    if (arrangement.placements.some(({ id }) => id === widget.id)) return;
    if (isFull(arrangement)) return toast('Not added: the overview is full');
    change(withAdded(arrangement, widget));
    toast(`Added “${shortened(widget.title)}” to the overview`);
    focusAfterRender(() => document.querySelector<HTMLElement>(`[data-widget="${widget.id}"] a`));
  }, [widget, arrangement, change, navigate, focusAfterRender]);
}
