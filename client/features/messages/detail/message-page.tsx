import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { messageQuery } from '../../../api/message-record.ts';
import { useCan } from '../../../api/session.ts';
import { identityIdIn } from '../../../format/identity-id.ts';
import { BackToList } from '../../../resource/detail/back-to-list.tsx';
import { DetailPage } from '../../../resource/detail/detail-page.tsx';
import { type DetailTab, DetailTabs } from '../../../resource/detail/detail-tabs.tsx';
import { NoSuchResource } from '../../../resource/detail/no-such-resource.tsx';
import { ClosedPage } from '../../../ui/feedback/closed-page.tsx';
import { MESSAGE } from '../message-resource.ts';
import { MessageHeader } from './message-header.tsx';

const LIST = '/messages';
const TABS: readonly DetailTab[] = [
  { to: '/messages/$id', label: 'Overview' },
  { to: '/messages/$id/json', label: 'JSON' },
];

const route = getRouteApi('/signed-in/messages/$id');

export function MessagePage() {
  const { id } = route.useParams();
  const may = useCan();
  return (
    <>
      <BackToList to={LIST} label={MESSAGE.listTitle} />
      {!may('upstreams.read') ? (
        <ClosedPage title={MESSAGE.title} />
      ) : identityIdIn(id) === undefined ? (
        <NoSuchResource name={MESSAGE} list={LIST} text="This address does not contain a message id." />
      ) : (
        <MessageById id={id} />
      )}
    </>
  );
}

const MessageById = ({ id }: { id: string }) => (
  <DetailPage
    name={MESSAGE}
    list={LIST}
    result={useQuery(messageQuery(id))}
    header={(message) => <MessageHeader message={message} />}
    tabs={<DetailTabs label={MESSAGE.title} id={id} tabs={TABS} />}
  />
);
