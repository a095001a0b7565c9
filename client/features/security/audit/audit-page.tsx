import { Stack } from '@mantine/core';
import { AuditExport } from './audit-export.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { AuditList } from './audit-list.tsx';
import { ChainState } from './chain-state.tsx';

export const AuditPage = () => (
  <Stack gap="md" pt="md">
    <ChainState />
    <AuditFilters />
    <AuditExport />
    <AuditList />
  </Stack>
);
