import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useCan, useRefusal } from '../../../api/session.ts';
import { ClosedPage } from '../../../ui/feedback/closed-page.tsx';
import { GuardedButton } from '../../../ui/guarded-button.tsx';
import { IconPlus } from '../../../ui/icons.ts';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { CLIENT } from '../client-resource.ts';
import { ClientList } from './client-list.tsx';

const ABOUT = 'The applications that may ask the OAuth server for tokens.';

export function ClientsPage() {
  const may = useCan();
  const refusal = useRefusal('upstreams.write');
  const icon = <IconPlus />;
  const create =
    refusal === undefined ? (
      <Button leftSection={icon} renderRoot={(props) => <Link {...props} to="/oauth/clients/new" preload={false} />}>
        New client
      </Button>
    ) : (
      <GuardedButton reason={refusal} leftSection={icon} onClick={() => {}}>
        New client
      </GuardedButton>
    );
  if (!may('upstreams.read')) return <ClosedPage title={CLIENT.listTitle} about={ABOUT} actions={create} />;
  return (
    <>
      <PageHeading title={CLIENT.listTitle} about={ABOUT} actions={create} />
      <ClientList />
    </>
  );
}
