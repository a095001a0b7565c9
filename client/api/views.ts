import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { SavedView, SavedViews } from '../../shared/dashboard.ts';
import type { RecordReference } from '../../shared/records.ts';
import { RequestError, requestWithTag, send, tagOf } from './request.ts';

/** A change of the views. @throws Error if it cannot be applied to these views */
export type ViewsChange = (views: readonly SavedView[]) => SavedView[];

const PATH = '/api/dashboard/views';

const findViews = (signal?: AbortSignal) => requestWithTag<SavedViews>(PATH, { signal });

export const viewsQuery = queryOptions({
  queryKey: ['dashboard-views'],
  queryFn: ({ signal }) => findViews(signal),
});

/** Changes the views, as `changeDocument` says. */
export const changeViews = (queryClient: QueryClient, change: ViewsChange): Promise<void> =>
  changeDocument(queryClient, ({ views }) => ({ views: change(views) }));

/** Changes the favourites, as `changeDocument` says. */
export const changeFavourites = (
  queryClient: QueryClient,
  change: (favourites: readonly RecordReference[]) => RecordReference[],
): Promise<void> =>
  changeDocument(queryClient, ({ views, favourites = [] }) => ({ views, favourites: change(favourites) }));

/**
 * Applies a change optimistically and stores it. If another tab or browser has changed the views or favourites, applies
 * the change once more to the new ones. After a failure, restores the stored ones.
 * @throws RequestError, or the error of the change
 */
async function changeDocument(queryClient: QueryClient, change: (stored: SavedViews) => SavedViews): Promise<void> {
  const { queryKey } = viewsQuery;
  await queryClient.cancelQueries({ queryKey });
  const cached = queryClient.getQueryData(queryKey);
  // Without a tag, the service would overwrite newer views.
  let stored = cached?.tag === undefined ? await findViews() : cached;
  const store = async (): Promise<void> => {
    const changed = change(stored);
    queryClient.setQueryData(queryKey, { ...stored, ...changed });
    const response = await send(PATH, { method: 'PUT', body: changed, ifMatch: stored.tag });
    stored = { ...stored, ...changed, tag: tagOf(response) };
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

const CHANGED_ELSEWHERE = 'Your views or favourites are being changed in another tab or browser. Try again.';

const isOutdated = (error: unknown): boolean => error instanceof RequestError && error.status === 412;
