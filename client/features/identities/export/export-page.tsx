import { useQuery } from '@tanstack/react-query';
import { identitySchemasQuery } from '../../../api/identity-schemas.ts';
import { useCan } from '../../../api/session.ts';
import { Skeleton } from '../../../ui/elements/feedback.tsx';
import { ClosedPage } from '../../../ui/feedback/closed-page.tsx';
import { FailurePanel } from '../../../ui/feedback/failure-panel.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { ExportSteps } from './export-steps.tsx';

const HEADING = {
  title: 'Export identities',
  about: 'Exports all identities to one file that can be imported elsewhere.',
};

export function ExportPage() {
  const may = useCan();
  return may('identities.read') ? <OpenExportPage /> : <ClosedPage {...HEADING} />;
}

function OpenExportPage() {
  const { data: known, error, refetch } = useQuery(identitySchemasQuery);
  return (
    <>
      <PageHeading {...HEADING} />
      {error !== null && <FailurePanel error={error} onRetry={() => void refetch()} />}
      {known === undefined ? error === null && <Skeleton h={160} /> : <ExportSteps schemas={known.schemas} />}
    </>
  );
}
