import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { identitySchemasQuery } from '../../../api/identity-schemas.ts';
import { useCan } from '../../../api/session.ts';
import { SchemasIncomplete } from '../../../resource/traits/schemas-incomplete.tsx';
import { ClosedPage } from '../../../ui/feedback/closed-page.tsx';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FailurePanel } from '../../../ui/feedback/failure-panel.tsx';
import { LoadingRows } from '../../../ui/loading/loading-rows.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { SCHEMAS } from '../schema-resource.ts';
import { OpenById } from './open-by-id.tsx';
import { SchemaList } from './schema-list.tsx';

const ABOUT =
  'The traits that each kind of identity has, and those used to sign in. Schemas are part of the identity service’s configuration and are changed there.';

export function SchemasPage() {
  const may = useCan();
  if (!may('upstreams.read')) return <ClosedPage title={SCHEMAS.label} about={ABOUT} />;
  return (
    <>
      <PageHeading title={SCHEMAS.label} about={ABOUT} />
      <KnownSchemas />
    </>
  );
}

function KnownSchemas() {
  const { data: known, error, refetch } = useQuery(identitySchemasQuery);
  return (
    <Stack gap="md">
      {error !== null && (
        <FailurePanel error={error} title="The schemas are unavailable" onRetry={() => void refetch()} />
      )}
      {known === undefined ? (
        error === null && <LoadingRows label="Loading the schemas" height={220} />
      ) : known.schemas.length === 0 ? (
        <EmptyState
          kind="no-data"
          title="No schemas"
          text="The identity service has no schemas. Identities cannot be created without one."
        />
      ) : (
        <>
          <SchemasIncomplete {...known} />
          <SchemaList schemas={known.schemas} />
        </>
      )}
      {(error !== null || known?.complete === false) && <OpenById />}
    </Stack>
  );
}
