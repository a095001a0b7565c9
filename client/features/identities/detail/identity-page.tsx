import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { identityQuery } from '../../../api/identities-record.ts';
import { useCan } from '../../../api/session.ts';
import { identityIdIn } from '../../../format/identity-id.ts';
import { BackToList } from '../../../resource/detail/back-to-list.tsx';
import { DetailPage } from '../../../resource/detail/detail-page.tsx';
import { type DetailTab, DetailTabs } from '../../../resource/detail/detail-tabs.tsx';
import { NoSuchResource } from '../../../resource/detail/no-such-resource.tsx';
import { ClosedPage } from '../../../ui/feedback/closed-page.tsx';
import { IDENTITY } from '../identity-resource.ts';
import { IdentityHeader } from './identity-header.tsx';

const LIST = '/identities';
const TABS: readonly DetailTab[] = [
  { to: '/identities/$id', label: 'Overview' },
  { to: '/identities/$id/traits', label: 'Traits and metadata' },
  { to: '/identities/$id/credentials', label: 'Credentials' },
  { to: '/identities/$id/sessions', label: 'Sessions' },
  { to: '/identities/$id/consents', label: 'Consents' },
  { to: '/identities/$id/messages', label: 'Messages' },
  { to: '/identities/$id/history', label: 'History' },
  { to: '/identities/$id/json', label: 'JSON' },
];

const route = getRouteApi('/signed-in/identities/$id');

export function IdentityPage() {
  const { id } = route.useParams();
  const may = useCan();
  return (
    <>
      <BackToList to={LIST} label={IDENTITY.listTitle} />
      {!(may('identities.read') && may('upstreams.read')) ? (
        <ClosedPage title={IDENTITY.title} />
      ) : identityIdIn(id) === undefined ? (
        <NoSuchResource name={IDENTITY} list={LIST} text="This address does not contain an identity id." />
      ) : (
        <IdentityById id={id} />
      )}
    </>
  );
}

const IdentityById = ({ id }: { id: string }) => (
  <DetailPage
    name={IDENTITY}
    list={LIST}
    result={useQuery(identityQuery(id))}
    header={(identity) => <IdentityHeader identity={identity} />}
    tabs={<DetailTabs label={IDENTITY.title} id={id} tabs={TABS} />}
  />
);
