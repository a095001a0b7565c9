import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { SavedView, SavedViews } from '../../shared/dashboard.ts';
import { RequestError, requestWithTag, send, tagOf } from './request.ts';

/** @throws Error if the change cannot be made to these views */
export type ViewsChange = (views: readonly SavedView[]) => SavedView[];

const PATH = '/api/dashboard/views';

const findViews = (signal?: AbortSignal) => requestWithTag<SavedViews>(PATH, { signal });

export const viewsQuery = queryOptions({
  queryKey: ['dashboard-views'],
  queryFn: ({ signal }) => findViews(signal),
});

/**
 * Shows the change at once and stores it. Views that have been changed elsewhere are read again, and the change is made
 * to these, once. If it fails, the stored views are back.
 * @throws RequestError, or what the change throws
 */
export async function changeViews(queryClient: QueryClient, change: ViewsChange): Promise<void> {
  const { queryKey } = viewsQuery;
  await queryClient.cancelQueries({ queryKey });
  const cached = queryClient.getQueryData(queryKey);
  // Without a tag the service would take the change to outdated views, too.
  let stored = cached?.tag === undefined ? await findViews() : cached;
  const store = async (): Promise<void> => {
    const views = change(stored.views);
    queryClient.setQueryData(queryKey, { ...stored, views });
    const response = await send(PATH, { method: 'PUT', body: { views } satisfies SavedViews, ifMatch: stored.tag });
    stored = { views, tag: tagOf(response) };
  };
  try {
    await store().catch(async (error) => {
      if (!isOutdated(error)) throw error;
      stored = await findViews();
      await store();
    });
  } catch (error) {
    throw isOutdated(error) ? new Error(CHANGED_ELSEWHERE) : error;
  } finally {
    queryClient.setQueryData(queryKey, stored);
  }
}

const CHANGED_ELSEWHERE = 'Your views are being changed in another tab or browser. Try again.';

const isOutdated = (error: unknown): boolean => error instanceof RequestError && error.status === 412;
