import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { identitySchemasQuery } from '../../../api/identity-schemas.ts';
import { useAdminOnly } from '../../../api/session.ts';
import { FailurePanel } from '../../../ui/failure-panel.tsx';
import { ExportSteps } from './export-steps.tsx';
import { ForAdministrators } from './for-administrators.tsx';

export function ExportPage() {
  const isAdmin = useAdminOnly() === undefined;
  const { data: schemas, error, refetch } = useQuery({ ...identitySchemasQuery, enabled: isAdmin });
  return (
    <ForAdministrators
      title="Export identities"
      about="Reads all identities page by page and leaves them in one file, to be imported elsewhere."
    >
      {error !== null && <FailurePanel error={error} onRetry={() => void refetch()} />}
      {schemas === undefined ? error === null && <Skeleton h={160} /> : <ExportSteps schemas={schemas} />}
    </ForAdministrators>
  );
}
