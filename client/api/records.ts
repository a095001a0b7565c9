import { queryOptions } from '@tanstack/react-query';
import { type RecordReference, type Records, recordKey } from '../../shared/records.ts';
import { request } from './request.ts';

const FRESH_MS = 30_000;

/** What lists show of these records, in one request. What could not be read is requested again next time. */
export const recordsQuery = (records: readonly RecordReference[]) => {
  const keys = [...new Set(records.map(recordKey))];
  return queryOptions({
    queryKey: ['records', keys],
    queryFn: ({ signal }) =>
      request<Records>(`/api/records?${new URLSearchParams(keys.map((key) => ['record', key]))}`, { signal }),
    staleTime: ({ state }) => (state.data?.failed.length === 0 ? FRESH_MS : 0),
    retry: false,
    retryOnMount: true,
  });
};
