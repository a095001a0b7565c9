import type { ReactNode } from 'react';
import { type Failure, FailurePanel } from './failure-panel.tsx';

/**
 * A query's data, once it has loaded. What failed to load can be retried; data that failed to refresh stays, below a
 * notice. Render it in a `Stack`, which keeps the two apart.
 * @param loading the placeholder until there is data or an error
 * @param title what could not be loaded: "The schemas are unavailable"
 */
export function QueryState<Data>(props: {
  /** As `useQuery` and `useInfiniteQuery` return it. */
  query: { data: Data | undefined; error: Failure | null; refetch: () => unknown };
  loading: ReactNode;
  title?: string;
  children: (data: Data) => ReactNode;
}) {
  const { data, error, refetch } = props.query;
  const title = data === undefined ? props.title : 'This may be out of date';
  return (
    <>
      {error !== null && <FailurePanel error={error} title={title} onRetry={() => void refetch()} />}
      {data !== undefined ? props.children(data) : error === null && props.loading}
    </>
  );
}
