import { createRoute } from '@tanstack/react-router';
import { consentsQuery } from '../../api/consents.ts';
import { clientQuery } from '../../api/oauth-client-record.ts';
import { clientPageQuery } from '../../api/oauth-clients.ts';
import { consentsSearch } from '../../features/consents/consents-search-params.ts';
import { type KindName, kindIn } from '../../features/oauth-clients/form/kind-names.ts';
import { pageParams as clientPageParams, clientsSearch } from '../../features/oauth-clients/list/search-params.ts';
import { idInPath, idOfPath } from '../../lib/id-in-path.ts';
import { lazyPage } from '../../ui/loading/lazy-part.tsx';
import { strictSearch } from '../search-params.ts';
import { mayRead, signedIn } from './frame.ts';

export const clients = createRoute({
  getParentRoute: () => signedIn,
  path: '/oauth/clients',
  validateSearch: strictSearch(clientsSearch),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps, cause, location }) => {
    if (cause === 'preload' || !mayRead(context.queryClient, 'upstreams.read')) return;
    void context.queryClient.prefetchQuery(clientPageQuery(clientPageParams(deps, location.state.pages ?? [])));
  },
  component: lazyPage(() => import('../../features/oauth-clients/list/clients-page.tsx'), 'ClientsPage'),
});

export const client = createRoute({
  getParentRoute: () => signedIn,
  path: '/oauth/clients/$id',
  params: { parse: ({ id }) => ({ id: idOfPath(id) }), stringify: ({ id }) => ({ id: idInPath(id) }) },
  loader: ({ context, cause, params }) => {
    if (cause === 'preload' || params.id === '' || !mayRead(context.queryClient, 'upstreams.read')) return;
    void context.queryClient.prefetchQuery(clientQuery(params.id));
  },
  component: lazyPage(() => import('../../features/oauth-clients/detail/client-page.tsx'), 'ClientPage'),
});

export const clientTabs = [
  createRoute({
    getParentRoute: () => client,
    path: '/',
    component: lazyPage(() => import('../../features/oauth-clients/detail/overview-tab.tsx'), 'OverviewTab'),
  }),
  createRoute({
    getParentRoute: () => client,
    path: '/configuration',
    component: lazyPage(() => import('../../features/oauth-clients/detail/configuration-tab.tsx'), 'ConfigurationTab'),
  }),
  createRoute({
    getParentRoute: () => client,
    path: '/developer',
    component: lazyPage(() => import('../../features/oauth-clients/detail/developer-tab.tsx'), 'DeveloperTab'),
  }),
  createRoute({
    getParentRoute: () => client,
    path: '/history',
    component: lazyPage(() => import('../../features/oauth-clients/detail/history-tab.tsx'), 'HistoryTab'),
  }),
  createRoute({
    getParentRoute: () => client,
    path: '/json',
    component: lazyPage(() => import('../../features/oauth-clients/detail/json-tab.tsx'), 'JsonTab'),
  }),
  createRoute({
    getParentRoute: () => client,
    path: '/edit',
    component: lazyPage(() => import('../../features/oauth-clients/form/client-edit.tsx'), 'ClientEdit'),
  }),
] as const;

export const newClient = createRoute({
  getParentRoute: () => signedIn,
  path: '/oauth/clients/new',
  validateSearch: strictSearch(({ kind }): { kind?: KindName } => ({ kind: kindIn(kind) })),
  component: lazyPage(() => import('../../features/oauth-clients/form/new-client-page.tsx'), 'NewClientPage'),
});

export const introspect = createRoute({
  getParentRoute: () => signedIn,
  path: '/oauth/introspect',
  component: lazyPage(() => import('../../features/introspect/introspect-page.tsx'), 'IntrospectPage'),
});

export const consents = createRoute({
  getParentRoute: () => signedIn,
  path: '/oauth/consents',
  validateSearch: strictSearch(consentsSearch),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps, cause }) => {
    if (cause === 'preload' || deps.subject === undefined || !mayRead(context.queryClient, 'upstreams.read')) return;
    void context.queryClient.prefetchInfiniteQuery(consentsQuery(deps.subject));
  },
  component: lazyPage(() => import('../../features/consents/consents-page.tsx'), 'ConsentsPage'),
});
