import { Alert, Button, Group, Stack } from '@mantine/core';
import { IconClockX } from '@tabler/icons-react';
import { useDeferredValue, useEffect, useRef } from 'react';
import { FailurePanel } from '../../../ui/failure-panel.tsx';
import { ListSkeleton } from '../../../ui/list-skeleton.tsx';
import { IdentitiesTable } from './identities-table.tsx';
import { IdentitySearch } from './identity-search.tsx';
import { NoIdentity } from './no-identity.tsx';
import { PageLine } from './page-line.tsx';
import { Pager } from './pager.tsx';
import { useIdentityList } from './use-identity-list.ts';
import { useSelection } from './use-selection.ts';

export function IdentityListView() {
  const latest = useIdentityList();
  // The rows of another page are worked on in pieces; until they stand, the page is still on its way.
  const shown = useDeferredValue(latest.shown);
  const list = shown === latest.shown ? latest : { ...latest, pending: true };
  const { pending, failure } = list;
  const selection = useSelection(shown);
  const focusNext = useRef(false);
  useEffect(() => {
    if (failure !== undefined || list.outdated) focusNext.current = false;
  }, [failure, list.outdated]);
  // Without the role there is nothing to search in: the server's words stand alone.
  if (failure?.code === 'forbidden') return <FailurePanel error={failure} />;
  return (
    <Stack gap="md">
      <IdentitySearch />
      {failure !== undefined && <FailurePanel error={failure} onRetry={list.reload} />}
      {list.outdated && <OutdatedNotice startAgain={list.startAgain} />}
      {shown === undefined ? (
        pending && <ListSkeleton label="Loading the identities" rows={12} />
      ) : shown.page.identities.length === 0 ? (
        <NoIdentity shown={shown} startAgain={list.startAgain} />
      ) : (
        <>
          <Group justify="space-between" gap="sm">
            <PageLine list={list} shown={shown} />
            <Pager list={list} />
          </Group>
          <IdentitiesTable
            key={JSON.stringify(shown.question)}
            shown={shown}
            busy={pending}
            selection={selection}
            focusNext={focusNext}
            next={list.next}
            previous={list.previous}
          />
        </>
      )}
    </Stack>
  );
}

function OutdatedNotice({ startAgain }: { startAgain: () => void }) {
  return (
    <Alert role="alert" variant="default" icon={<IconClockX aria-hidden />} title="This page link is too old">
      <Stack gap="xs">
        The identity service no longer knows where that page begins. What was shown last is still shown below.
        <Group>
          <Button size="xs" variant="default" onClick={startAgain}>
            Start again from page 1
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
