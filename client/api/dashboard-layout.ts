import { queryOptions } from '@tanstack/react-query';
import type { DashboardLayout } from '../../shared/dashboard-layout.ts';
import { bodyOf, send } from './request.ts';

/** An operator's arrangement of the overview, and the entity tag that stands for exactly this one. */
export interface TaggedLayout {
  layout: DashboardLayout['layout'];
  tag: string;
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
 * Stores it where the stored one is still the one that `tag` stands for.
 * @returns the new tag
 * @throws RequestError with status 412 where it is not
 */
export async function saveLayout(layout: TaggedLayout['layout'], tag: string): Promise<string> {
  const response = await send(PATH, { method: 'PUT', body: { layout } satisfies DashboardLayout, ifMatch: tag });
  return tagOf(response);
}

/** A proxy that compresses makes tags weak, and a weak one fits no `If-Match` (RFC 9110, 13.1.1). */
const tagOf = (response: Response): string => (response.headers.get('ETag') ?? '').replace(/^W\//, '');
