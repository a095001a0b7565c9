import { Button, Group, Stack } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet, useLocation } from '@tanstack/react-router';
import { identityQuery } from '../../../api/identities-record.ts';
import { RequestError } from '../../../api/request-error.ts';
import { useCan } from '../../../api/session.ts';
import { ClosedPage } from '../../../ui/closed-page.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { FailurePanel } from '../../../ui/failure-panel.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { identityIdIn } from '../identity-id.ts';
import { IdentityHeader } from './identity-header.tsx';
import { IdentitySkeleton } from './identity-skeleton.tsx';
import { IdentityTabs } from './identity-tabs.tsx';

const route = getRouteApi('/signed-in/identities/$id');

/** One identity: its header and tabs; the tab itself is the child route's. */
export function IdentityPage() {
  const { id } = route.useParams();
  const may = useCan();
  return (
    <>
      <BackToList />
      {!may('identities.read') ? (
        <ClosedPage title="Identity" />
      ) : identityIdIn(id) === undefined ? (
        <NoSuchIdentity text="What stands in this address is not an identity id." />
      ) : (
        <LoadedIdentity id={id} />
      )}
    </>
  );
}

function LoadedIdentity({ id }: { id: string }) {
  const { data: identity, error, refetch, isFetching } = useQuery(identityQuery(id));
  const gone = error instanceof RequestError && error.status === 404;
  if (gone) return <NoSuchIdentity text="No identity has this id. It may have been deleted." />;
  if (identity === undefined) {
    return (
      <>
        <PageHeading title="Identity" />
        {error === null ? <IdentitySkeleton /> : <FailurePanel error={error} onRetry={() => void refetch()} />}
      </>
    );
  }
  return (
    <Stack gap="md">
      <div>
        <IdentityHeader identity={identity} />
        <IdentityTabs id={id} />
      </div>
      {error !== null && !isFetching && (
        <FailurePanel error={error} title="What is shown may be out of date" onRetry={() => void refetch()} />
      )}
      <Outlet />
    </Stack>
  );
}

function NoSuchIdentity({ text }: { text: string }) {
  return (
    <>
      <PageHeading title="Identity" />
      <EmptyState
        kind="no-match"
        title="There is no such identity"
        text={text}
        actions={
          <Button variant="default" size="xs" renderRoot={(props) => <Link {...props} to="/identities" />}>
            Search the identities
          </Button>
        }
      />
    </>
  );
}

/** Leads to the page of the list that this identity was opened from. */
function BackToList() {
  const from = useLocation({ select: ({ state }) => state.identityList });
  return (
    <Group mb="xs">
      <Button
        ml={-8}
        size="compact-sm"
        variant="subtle"
        leftSection={<IconArrowLeft size={14} aria-hidden />}
        renderRoot={(props) => (
          <Link
            {...props}
            to="/identities"
            search={from?.search ?? {}}
            state={from === undefined ? {} : { identityPages: from.pages }}
            preload={false}
          />
        )}
      >
        Identities
      </Button>
    </Group>
  );
}
