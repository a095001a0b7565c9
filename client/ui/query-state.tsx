import type { ReactNode } from 'react';
import { type Failure, FailurePanel } from './failure-panel.tsx';

/**
 * Renders a query's data, or the error with a retry. After a failed refetch, the data stays below a notice. Render it in
 * a `Stack`, which separates the two.
 * @param loading the placeholder before data or an error
 * @param title names the missing data: "The schemas are unavailable"
 */
export function QueryState<Data>(props: {
  /** The result of `useQuery` or `useInfiniteQuery`. */
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
