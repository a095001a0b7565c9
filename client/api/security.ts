import { queryOptions } from '@tanstack/react-query';
import type { AuditPage } from '../../shared/audit.ts';
import {
  LOCKED_IDENTIFIERS_MAX,
  type LockedAccount,
  type LockedAccountList,
  type OperatorList,
  type Posture,
  type RevocationInput,
} from '../../shared/security.ts';
import { refreshEvery, requestWithClock } from './polling.ts';
import { request, send } from './request.ts';

const EVERY_MS = 30_000;

/** The newest changes. Without the filter, the operator's own searches could fill the page. */
export const recentAuditQuery = queryOptions({
  queryKey: ['security', 'audit', 'recent'],
  queryFn: ({ signal }) => requestWithClock<AuditPage>('/api/security/audit?changes=true&page_size=50', { signal }),
  refetchInterval: refreshEvery(EVERY_MS),
});

export const LOCKED_ACCOUNTS_KEY = ['security', 'locked-accounts'] as const;

export const lockedAccountsQuery = queryOptions({
  queryKey: [...LOCKED_ACCOUNTS_KEY, 'all'],
  queryFn: ({ signal }) => requestWithClock<LockedAccountList>('/api/security/locked-accounts', { signal }),
  refetchInterval: refreshEvery(EVERY_MS),
});

/** The locks of one identity. @param identifiers login identifiers; only the first `LOCKED_IDENTIFIERS_MAX` count */
export async function readLocksOf(identifiers: readonly string[], signal: AbortSignal): Promise<LockedAccount[]> {
  if (identifiers.length === 0) return [];
  const query = new URLSearchParams(identifiers.slice(0, LOCKED_IDENTIFIERS_MAX).map((one) => ['identifier', one]));
  return (await request<LockedAccountList>(`/api/security/locked-accounts?${query}`, { signal })).data;
}

export const locksOfQuery = (identifiers: readonly string[]) =>
  queryOptions({
    queryKey: [...LOCKED_ACCOUNTS_KEY, 'of', identifiers],
    queryFn: ({ signal }) => readLocksOf(identifiers, signal),
    retry: false,
  });

export const postureQuery = queryOptions({
  queryKey: ['security', 'posture'],
  queryFn: ({ signal }) => requestWithClock<Posture>('/api/security/posture', { signal }),
  refetchInterval: refreshEvery(5 * 60_000),
});

export const operatorsQuery = queryOptions({
  queryKey: ['security', 'operators'],
  queryFn: ({ signal }) => request<OperatorList>('/api/security/operators', { signal }),
});

/** Ends all dashboard sessions of this identity; its platform sessions continue. */
export async function endDashboardSessions(identityId: string, reason?: string): Promise<void> {
  await send('/api/security/revocations', {
    method: 'POST',
    body: { identity_id: identityId } satisfies RevocationInput,
    reason,
  });
}
