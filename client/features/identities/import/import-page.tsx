import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { identitySchemasQuery } from '../../../api/identity-schemas.ts';
import { useCan } from '../../../api/session.ts';
import { SchemasIncomplete } from '../../../resource/traits/schemas-incomplete.tsx';
import { ClosedPage } from '../../../ui/feedback/closed-page.tsx';
import { FailurePanel } from '../../../ui/feedback/failure-panel.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { ImportSteps } from './import-steps.tsx';

const HEADING = {
  title: 'Import identities',
  about:
    'Creates identities from a CSV or NDJSON file. The file is checked in this browser first; nothing is sent until you start the import.',
};

export function ImportPage() {
  const may = useCan();
  return may('upstreams.write') ? <OpenImportPage /> : <ClosedPage {...HEADING} />;
}

function OpenImportPage() {
  const { data: known, error, refetch } = useQuery(identitySchemasQuery);
  return (
    <>
      <PageHeading {...HEADING} />
      {error !== null && <FailurePanel error={error} onRetry={() => void refetch()} />}
      {known === undefined ? (
        error === null && <Skeleton h={160} />
      ) : (
        <Stack gap="md">
          <SchemasIncomplete {...known} />
          <ImportSteps known={known} />
        </Stack>
      )}
    </>
  );
}
