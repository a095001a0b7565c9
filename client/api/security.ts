import { queryOptions } from '@tanstack/react-query';
import type { AuditPage } from '../../shared/audit.ts';
import type { LockedAccountList } from '../../shared/locked-accounts.ts';
import type { Posture } from '../../shared/posture.ts';
import { requestDated } from './dated.ts';
import { refreshEvery } from './refresh-every.ts';

const EVERY_MS = 30_000;

/** The newest records of the audit trail. */
export const recentAuditQuery = queryOptions({
  queryKey: ['security', 'audit', 'recent'],
  queryFn: ({ signal }) => requestDated<AuditPage>('/api/security/audit?page_size=10', { signal }),
  refetchInterval: refreshEvery(EVERY_MS),
});

export const lockedAccountsQuery = queryOptions({
  queryKey: ['security', 'locked-accounts'],
  queryFn: ({ signal }) => requestDated<LockedAccountList>('/api/security/locked-accounts', { signal }),
  refetchInterval: refreshEvery(EVERY_MS),
});

export const postureQuery = queryOptions({
  queryKey: ['security', 'posture'],
  queryFn: ({ signal }) => requestDated<Posture>('/api/security/posture', { signal }),
  refetchInterval: refreshEvery(5 * 60_000),
});
