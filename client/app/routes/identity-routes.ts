import { createRoute } from '@tanstack/react-router';
import { consentsQuery } from '../../api/consents.ts';
import { IDENTITY_PAGES } from '../../features/identities/identity-pages.ts';
import { parseIdentitiesSearch } from '../../features/identities/identity-question.ts';
import { IDENTITIES } from '../../features/identities/identity-resource.ts';
import { lazyPage } from '../../ui/loading/lazy-part.tsx';
import { optionalText, strictSearch } from '../search-params.ts';
import { mayRead, signedIn } from './frame.ts';
import { resourceRoutes } from './resource-routes.ts';

export const identities = resourceRoutes(IDENTITIES, IDENTITY_PAGES);

/** A tab of the identity page that belongs to another feature. */
export const identityConsents = createRoute({
  getParentRoute: () => identities.record,
  path: '/consents',
  loader: ({ context, cause, params }) => {
    if (cause === 'preload' || !mayRead(context.queryClient, 'upstreams.read')) return;
    void context.queryClient.prefetchInfiniteQuery(consentsQuery(params.id));
  },
  component: lazyPage(() => import('../../features/consents/consents-tab.tsx'), 'ConsentsTab'),
});

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
  validateSearch: strictSearch(parseIdentitiesSearch),
  component: lazyPage(() => import('../../features/identities/export/export-page.tsx'), 'ExportPage'),
});
