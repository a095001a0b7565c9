import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { identitySchemasQuery } from '../../../api/identity-schemas.ts';
import { useCan } from '../../../api/session.ts';
import { ClosedPage } from '../../../ui/feedback/closed-page.tsx';
import { FailurePanel } from '../../../ui/feedback/failure-panel.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { hasFilters } from '../identity-question.ts';
import { ExportSteps } from './export-steps.tsx';

const HEADING = {
  title: 'Export identities',
  about: 'Exports all identities, or those that match a search, to one file that can be imported elsewhere.',
};

const route = getRouteApi('/signed-in/identities/export');

export function ExportPage() {
  const may = useCan();
  return may('identities.read') ? <OpenExportPage /> : <ClosedPage {...HEADING} />;
}

function OpenExportPage() {
  const { data: known, error, refetch } = useQuery(identitySchemasQuery);
  const search = route.useSearch();
  return (
    <>
      <PageHeading {...HEADING} />
      {error !== null && <FailurePanel error={error} onRetry={() => void refetch()} />}
      {known === undefined ? (
        error === null && <Skeleton h={160} />
      ) : (
        <ExportSteps
          key={JSON.stringify(search)}
          schemas={known.schemas}
          search={hasFilters(search) ? search : undefined}
        />
      )}
    </>
  );
}
