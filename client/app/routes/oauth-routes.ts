import { createRoute } from '@tanstack/react-router';
import { consentsQuery } from '../../api/consents.ts';
import { consentsSearch } from '../../features/consents/consents-search-params.ts';
import { type KindName, kindIn } from '../../features/oauth-clients/form/kind-names.ts';
import { lazyPage } from '../../ui/loading/lazy-part.tsx';
import { strictSearch } from '../search-params.ts';
import { mayRead, signedIn } from './frame.ts';

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
