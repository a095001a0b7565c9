import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { identitySchemasQuery } from '../../../api/identity-schemas.ts';
import { useAdminOnly } from '../../../api/session.ts';
import { FailurePanel } from '../../../ui/failure-panel.tsx';
import { ForAdministrators } from './for-administrators.tsx';
import { ImportSteps } from './import-steps.tsx';

export function ImportPage() {
  const isAdmin = useAdminOnly() === undefined;
  const { data: schemas, error, refetch } = useQuery({ ...identitySchemasQuery, enabled: isAdmin });
  return (
    <ForAdministrators
      title="Import identities"
      about="Creates identities from a CSV or NDJSON file. The file is checked in this browser first; nothing is sent before you say so."
    >
      {error !== null && <FailurePanel error={error} onRetry={() => void refetch()} />}
      {schemas === undefined ? error === null && <Skeleton h={160} /> : <ImportSteps schemas={schemas} />}
    </ForAdministrators>
  );
}
