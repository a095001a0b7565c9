import type { QueryClient } from '@tanstack/react-query';
import { statisticsQuery } from './statistics.ts';

/**
 * After people were created, changed or deleted here: lists, their number and the overview's counts are read again.
 * Resolves when the lists that are shown have been.
 */
export function identitiesChanged(queryClient: QueryClient): Promise<void> {
  void queryClient.invalidateQueries({ queryKey: statisticsQuery.queryKey });
  return queryClient.invalidateQueries({ queryKey: ['identities'] });
}
