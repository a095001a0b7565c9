import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { identitySchemaQuery } from '../../../api/identity-schemas.ts';
import { useCan } from '../../../api/session.ts';
import { BackToList } from '../../../resource/detail/back-to-list.tsx';
import { DetailPage } from '../../../resource/detail/detail-page.tsx';
import { type DetailTab, DetailTabs } from '../../../resource/detail/detail-tabs.tsx';
import { NoSuchResource } from '../../../resource/detail/no-such-resource.tsx';
import { ClosedPage } from '../../../ui/feedback/closed-page.tsx';
import { SCHEMA } from '../schema-resource.ts';
import { SchemaHeader } from './schema-header.tsx';

const LIST = '/schemas';
const TABS: readonly DetailTab[] = [
  { to: '/schemas/$id', label: 'Traits' },
  { to: '/schemas/$id/form', label: 'Form' },
  { to: '/schemas/$id/json', label: 'JSON' },
];

const route = getRouteApi('/signed-in/schemas/$id');

export function SchemaPage() {
  const { id } = route.useParams();
  const may = useCan();
  return (
    <>
      <BackToList to={LIST} label={SCHEMA.listTitle} />
      {!may('upstreams.read') ? (
        <ClosedPage title={SCHEMA.title} />
      ) : id === '' ? (
        <NoSuchResource name={SCHEMA} list={LIST} text="This address does not contain a schema id." />
      ) : (
        <SchemaById id={id} />
      )}
    </>
  );
}

const SchemaById = ({ id }: { id: string }) => (
  <DetailPage
    name={SCHEMA}
    list={LIST}
    result={useQuery(identitySchemaQuery(id))}
    header={(schema) => <SchemaHeader schema={{ id, schema }} />}
    tabs={<DetailTabs label={SCHEMA.title} id={id} tabs={TABS} />}
  />
);
