import { Button } from '@mantine/core';
import { useState } from 'react';
import { useCan, useRefusal } from '../../api/session.ts';
import { ClosedPage } from '../../ui/feedback/closed-page.tsx';
import { GuardedButton } from '../../ui/guarded-button.tsx';
import { IconPlus } from '../../ui/icons.ts';
import { lazyPart } from '../../ui/loading/lazy-part.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { Providers } from './providers.tsx';

const ProviderDialog = lazyPart(() => import('./provider-dialog.tsx'), 'ProviderDialog');

const TITLE = 'Connections';
const ABOUT = 'Social providers that customers can sign in with.';

export function ConnectionsPage() {
  const may = useCan();
  const refusal = useRefusal('settings.write');
  const [adding, setAdding] = useState(false);
  const icon = <IconPlus />;
  const add =
    refusal === undefined ? (
      <Button leftSection={icon} onClick={() => setAdding(true)}>
        Add provider
      </Button>
    ) : (
      <GuardedButton reason={refusal} leftSection={icon} onClick={() => {}}>
        Add provider
      </GuardedButton>
    );
  if (!may('settings.read')) return <ClosedPage title={TITLE} about={ABOUT} actions={add} />;
  return (
    <>
      <PageHeading title={TITLE} about={ABOUT} actions={add} />
      <Providers />
      {adding && <ProviderDialog name={undefined} onClose={() => setAdding(false)} />}
    </>
  );
}
