// To add a page (for a resource's pages see docs/architecture.md):
// 1. `features/<name>/<name>-page.tsx`: its component, which begins with <PageHeading> in every state.
// 2. A route in `routes.ts`, added to its tree: path, search parameters (`strictSearch`), `lazyPage` for its chunk, and
//    a loader that starts the page's query without awaiting it, so that chunk, data and session load in parallel.
//    Free text goes into search parameters, never into the path.
// 3. An entry in `navigation.tsx`, for navigation, palette, overview and `g` keys.
// In the page: `getRouteApi('/signed-in/<path>')` for its parameters, `useQuery` for its data, and
// <FailurePanel error onRetry> for failures (including a viewer's 403).
import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { PageFailure } from './failures.tsx';
import { routeTree } from './routes.ts';
import { PageSkeleton } from './session-gate.tsx';

const PENDING_MS = 80;

export const createAppRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree: routeTree(),
    context: { queryClient },
    parseSearch,
    stringifySearch,
    // TanStack Query alone decides when data is stale.
    defaultPreloadStaleTime: 0,
    // Delay the skeleton to avoid a flash, but never delay a page that is ready.
    defaultPendingMs: PENDING_MS,
    defaultPendingMinMs: 0,
    defaultPendingComponent: PageSkeleton,
    defaultErrorComponent: PageFailure,
    scrollRestoration: true,
  });

/**
 * Search parameters are plain strings. The router's own format would parse the key `007` as a number and quote texts that
 * look like JSON.
 */
const parseSearch = (search: string): Record<string, string> => Object.fromEntries(new URLSearchParams(search));

function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== '') params.set(name, String(value));
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
