import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { clientQuery } from '../../../api/oauth-client-record.ts';
import { useCan } from '../../../api/session.ts';
import { BackToList } from '../../../resource/detail/back-to-list.tsx';
import { DetailPage } from '../../../resource/detail/detail-page.tsx';
import { type DetailTab, DetailTabs } from '../../../resource/detail/detail-tabs.tsx';
import { NoSuchResource } from '../../../resource/detail/no-such-resource.tsx';
import { ClosedPage } from '../../../ui/feedback/closed-page.tsx';
import { CLIENT } from '../client-resource.ts';
import { ClientHeader } from './client-header.tsx';

const LIST = '/oauth/clients';
const TABS: readonly DetailTab[] = [
  { to: '/oauth/clients/$id', label: 'Overview' },
  { to: '/oauth/clients/$id/configuration', label: 'Configuration' },
  { to: '/oauth/clients/$id/developer', label: 'For its developer' },
  { to: '/oauth/clients/$id/history', label: 'History' },
  { to: '/oauth/clients/$id/json', label: 'JSON' },
];

const route = getRouteApi('/signed-in/oauth/clients/$id');

export function ClientPage() {
  const { id } = route.useParams();
  const may = useCan();
  return (
    <>
      <BackToList to={LIST} label={CLIENT.listTitle} />
      {!may('upstreams.read') ? (
        <ClosedPage title={CLIENT.title} />
      ) : id === '' ? (
        <NoSuchResource name={CLIENT} list={LIST} text="This address does not contain a client id." />
      ) : (
        <ClientById id={id} />
      )}
    </>
  );
}

const ClientById = ({ id }: { id: string }) => (
  <DetailPage
    name={CLIENT}
    list={LIST}
    result={useQuery(clientQuery(id))}
    header={(client) => <ClientHeader client={client} />}
    tabs={<DetailTabs label={CLIENT.title} id={id} tabs={TABS} />}
  />
);
