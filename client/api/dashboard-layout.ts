import { queryOptions } from '@tanstack/react-query';
import type { DashboardLayout } from '../../shared/dashboard.ts';
import { tagOf } from './entity-tag.ts';
import { bodyOf, send } from './request.ts';

/** An operator's arrangement of the overview with its entity tag, if that arrived. */
export interface TaggedLayout {
  layout: DashboardLayout['layout'];
  tag: string | undefined;
}

const PATH = '/api/dashboard/layout';

export async function findLayout(signal?: AbortSignal): Promise<TaggedLayout> {
  const response = await send(PATH, { signal });
  const { layout } = await bodyOf<DashboardLayout>(response);
  return { layout, tag: tagOf(response) };
}

export const layoutQuery = queryOptions({
  queryKey: ['dashboard-layout'],
  queryFn: ({ signal }) => findLayout(signal),
});

/**
 * Stores the layout if `tag` still matches the stored one; without a tag, over whatever is stored.
 * @returns the new tag
 * @throws RequestError with status 412 when it does not match
 */
export async function saveLayout(
  layout: TaggedLayout['layout'],
  tag: TaggedLayout['tag'],
): Promise<TaggedLayout['tag']> {
  const response = await send(PATH, { method: 'PUT', body: { layout } satisfies DashboardLayout, ifMatch: tag });
  return tagOf(response);
}
