import { useCan } from '../../../api/session.ts';
import { ClosedPage } from '../../../ui/feedback/closed-page.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { MESSAGE } from '../message-resource.ts';
import { MessageList } from './message-list.tsx';

const ABOUT =
  'What the identity service has written to people, and whether it could be delivered. It cannot send a message again.';

export function MessagesPage() {
  const may = useCan();
  if (!may('upstreams.read')) return <ClosedPage title={MESSAGE.listTitle} about={ABOUT} />;
  return (
    <>
      <PageHeading title={MESSAGE.listTitle} about={ABOUT} />
      <MessageList />
    </>
  );
}
