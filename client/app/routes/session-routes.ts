import { createRoute } from '@tanstack/react-router';
import { sessionPageQuery, sessionRecordQuery } from '../../api/sessions.ts';
import { pageParams as sessionPageParams, sessionsSearch } from '../../features/sessions/list/search-params.ts';
import { identityIdIn } from '../../format/identity-id.ts';
import { lazyPage } from '../../ui/loading/lazy-part.tsx';
import { strictSearch } from '../search-params.ts';
import { mayRead, signedIn } from './frame.ts';

export const sessions = createRoute({
  getParentRoute: () => signedIn,
  path: '/sessions',
  validateSearch: strictSearch(sessionsSearch),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps, cause, location }) => {
    if (cause === 'preload' || !mayRead(context.queryClient, 'upstreams.read')) return;
    void context.queryClient.prefetchQuery(sessionPageQuery(sessionPageParams(deps, location.state.pages ?? [])));
  },
  component: lazyPage(() => import('../../features/sessions/list/sessions-page.tsx'), 'SessionsPage'),
});

export const session = createRoute({
  getParentRoute: () => signedIn,
  path: '/sessions/$id',
  loader: ({ context, cause, params }) => {
    if (cause === 'preload' || identityIdIn(params.id) === undefined || !mayRead(context.queryClient, 'upstreams.read'))
      return;
    void context.queryClient.prefetchQuery(sessionRecordQuery(params.id));
  },
  component: lazyPage(() => import('../../features/sessions/detail/session-page.tsx'), 'SessionPage'),
});

export const sessionTabs = [
  createRoute({
    getParentRoute: () => session,
    path: '/',
    component: lazyPage(() => import('../../features/sessions/detail/overview-tab.tsx'), 'OverviewTab'),
  }),
  createRoute({
    getParentRoute: () => session,
    path: '/json',
    component: lazyPage(() => import('../../features/sessions/detail/json-tab.tsx'), 'JsonTab'),
  }),
] as const;
