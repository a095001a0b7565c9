import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCan } from '../../../api/session.ts';
import { sessionRecordQuery } from '../../../api/sessions.ts';
import { identityIdIn } from '../../../format/identity-id.ts';
import { BackToList } from '../../../resource/detail/back-to-list.tsx';
import { DetailPage } from '../../../resource/detail/detail-page.tsx';
import { type DetailTab, DetailTabs } from '../../../resource/detail/detail-tabs.tsx';
import { NoSuchResource } from '../../../resource/detail/no-such-resource.tsx';
import { ClosedPage } from '../../../ui/feedback/closed-page.tsx';
import { SESSION } from '../session-resource.ts';
import { SessionHeader } from './session-header.tsx';

const LIST = '/sessions';
const TABS: readonly DetailTab[] = [
  { to: '/sessions/$id', label: 'Overview' },
  { to: '/sessions/$id/json', label: 'JSON' },
];

const route = getRouteApi('/signed-in/sessions/$id');

export function SessionPage() {
  const { id } = route.useParams();
  const may = useCan();
  return (
    <>
      <BackToList to={LIST} label={SESSION.listTitle} />
      {!may('upstreams.read') ? (
        <ClosedPage title={SESSION.title} />
      ) : identityIdIn(id) === undefined ? (
        <NoSuchResource name={SESSION} list={LIST} text="This address does not contain a session id." />
      ) : (
        <SessionById id={id} />
      )}
    </>
  );
}

const SessionById = ({ id }: { id: string }) => (
  <DetailPage
    name={SESSION}
    list={LIST}
    result={useQuery(sessionRecordQuery(id))}
    header={(session) => <SessionHeader session={session} />}
    tabs={<DetailTabs label={SESSION.title} id={id} tabs={TABS} />}
  />
);
