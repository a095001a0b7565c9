import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { useMatch, useParams } from '@tanstack/react-router';
import { type ComponentProps, type ComponentType, createContext, use } from 'react';
import type { JsonText } from '../../ui/json-text.tsx';

export type RecordQuery<T, Raw, Key extends QueryKey> = (id: string) => UseQueryOptions<Raw, Error, T, Key>;

/** The record of this page, for its tabs, which are rendered only once it has loaded. @param query the page's */
export function useRecord<T, Raw, Key extends QueryKey>(query: RecordQuery<T, Raw, Key>): T {
  const { id = '' } = useParams({ strict: false });
  const { data } = useQuery({ ...query(id), enabled: false });
  if (data === undefined) throw new Error('useRecord is only for the tabs of a record');
  return data;
}

/** The tabs that a record's page renders, by the path of their route, and what the JSON tab shows. */
export const RecordContext = createContext<
  { json: ComponentProps<typeof JsonText>; tabs: ReadonlyMap<string, ComponentType | undefined> } | undefined
>(undefined);

/** The tab of this route, if the record's page renders it. */
export function RecordTab() {
  const { fullPath }: { fullPath: string } = useMatch({ strict: false });
  const Tab = use(RecordContext)?.tabs.get(fullPath.replace(/\/$/, ''));
  return Tab && <Tab />;
}
