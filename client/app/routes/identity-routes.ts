import { createRoute } from '@tanstack/react-router';
import { consentsQuery } from '../../api/consents.ts';
import { identityPageQuery, identityTotalQuery } from '../../api/identities.ts';
import { identityQuery } from '../../api/identities-record.ts';
import { identitiesSearch, pageParams } from '../../features/identities/list/search-params.ts';
import { identityIdIn } from '../../format/identity-id.ts';
import { lazyPage } from '../../ui/loading/lazy-part.tsx';
import { optionalText, strictSearch } from '../search-params.ts';
import { mayRead, signedIn } from './frame.ts';

export const identities = createRoute({
  getParentRoute: () => signedIn,
  path: '/identities',
  validateSearch: strictSearch(identitiesSearch),
  loaderDeps: ({ search }) => search,
  // A page of the list is one upstream request and one audit record: never for a link that is merely pointed at.
  loader: ({ context, deps, cause, location }) => {
    if (cause === 'preload') return;
    void context.queryClient.prefetchQuery(identityPageQuery(pageParams(deps, location.state.pages ?? [])));
    void context.queryClient.prefetchQuery(identityTotalQuery);
  },
  component: lazyPage(() => import('../../features/identities/list/identities-page.tsx'), 'IdentitiesPage'),
});

export const identity = createRoute({
  getParentRoute: () => signedIn,
  path: '/identities/$id',
  // Who may not see a person's data is sent none: nothing is asked for before the role is known.
  loader: ({ context, cause, params }) => {
    if (cause === 'preload' || !mayRead(context.queryClient, 'upstreams.read')) return;
    if (identityIdIn(params.id) === undefined) return;
    void context.queryClient.prefetchQuery(identityQuery(params.id));
  },
  component: lazyPage(() => import('../../features/identities/detail/identity-page.tsx'), 'IdentityPage'),
});

export const identityTabs = [
  createRoute({
    getParentRoute: () => identity,
    path: '/',
    component: lazyPage(() => import('../../features/identities/detail/overview-tab.tsx'), 'OverviewTab'),
  }),
  createRoute({
    getParentRoute: () => identity,
    path: '/traits',
    component: lazyPage(() => import('../../features/identities/detail/traits-tab.tsx'), 'TraitsTab'),
  }),
  createRoute({
    getParentRoute: () => identity,
    path: '/credentials',
    component: lazyPage(() => import('../../features/identities/detail/credentials-tab.tsx'), 'CredentialsTab'),
  }),
  createRoute({
    getParentRoute: () => identity,
    path: '/sessions',
    component: lazyPage(() => import('../../features/identities/detail/sessions-tab.tsx'), 'SessionsTab'),
  }),
  createRoute({
    getParentRoute: () => identity,
    path: '/consents',
    loader: ({ context, cause, params }) => {
      if (cause === 'preload' || !mayRead(context.queryClient, 'upstreams.read')) return;
      void context.queryClient.prefetchInfiniteQuery(consentsQuery(params.id));
    },
    component: lazyPage(() => import('../../features/consents/consents-tab.tsx'), 'ConsentsTab'),
  }),
  createRoute({
    getParentRoute: () => identity,
    path: '/messages',
    component: lazyPage(() => import('../../features/identities/detail/messages-tab.tsx'), 'MessagesTab'),
  }),
  createRoute({
    getParentRoute: () => identity,
    path: '/history',
    component: lazyPage(() => import('../../features/identities/detail/history-tab.tsx'), 'HistoryTab'),
  }),
  createRoute({
    getParentRoute: () => identity,
    path: '/json',
    component: lazyPage(() => import('../../features/identities/detail/json-tab.tsx'), 'JsonTab'),
  }),
  createRoute({
    getParentRoute: () => identity,
    path: '/traits/edit',
    component: lazyPage(() => import('../../features/identities/form/identity-edit.tsx'), 'IdentityEdit'),
  }),
] as const;

export const newIdentity = createRoute({
  getParentRoute: () => signedIn,
  path: '/identities/new',
  validateSearch: strictSearch(({ schema }): { schema?: string } => ({ schema: optionalText(schema) })),
  component: lazyPage(() => import('../../features/identities/form/new-identity-page.tsx'), 'NewIdentityPage'),
});

export const importIdentities = createRoute({
  getParentRoute: () => signedIn,
  path: '/identities/import',
  component: lazyPage(() => import('../../features/identities/import/import-page.tsx'), 'ImportPage'),
});

export const exportIdentities = createRoute({
  getParentRoute: () => signedIn,
  path: '/identities/export',
  component: lazyPage(() => import('../../features/identities/export/export-page.tsx'), 'ExportPage'),
});
