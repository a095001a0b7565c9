// How a page is added:
// 1. `features/<name>/<name>-page.tsx` exports its component, which begins with <PageHeading> in every state;
// 2. a route here: path, typed search parameters, `lazyPage` for its chunk, and a loader that only starts
//    the page's query (not awaited: chunk, data and session load in parallel, the page shows its own skeleton);
//    free text stands in the search parameters, never in the path;
// 3. one line in `navigation.ts`, which feeds navigation, palette, overview and `g` keys.
// In the page: `getRouteApi('/signed-in/<path>')` for its parameters, `useQuery` for its data, and
// <FailurePanel error onRetry> for what fails (a viewer's 403 included).
import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router';
import { type Capability, can } from '../../shared/capabilities.ts';
import { auditChainQuery, auditPageQuery } from '../api/audit.ts';
import { configurationQuery } from '../api/configuration.ts';
import { layoutQuery } from '../api/dashboard-layout.ts';
import { identityPageQuery, identityTotalQuery } from '../api/identities.ts';
import { identityQuery } from '../api/identities-record.ts';
import { clientQuery } from '../api/oauth-client-record.ts';
import { clientPageQuery } from '../api/oauth-clients.ts';
import { lockedAccountsQuery, operatorsQuery, postureQuery } from '../api/security.ts';
import { sessionQuery } from '../api/session.ts';
import { settingsQuery } from '../api/settings.ts';
import { statisticsQuery } from '../api/statistics.ts';
import { identityIdIn } from '../features/identities/identity-id.ts';
import { identitiesSearch, pageQuestion } from '../features/identities/list/list-address.ts';
import { clientIdIn, clientInPath } from '../features/oauth-clients/client-address.ts';
import { type KindName, kindIn } from '../features/oauth-clients/form/kind-names.ts';
import { pageQuestion as clientPageQuestion, clientsSearch } from '../features/oauth-clients/list/list-address.ts';
import { auditQuestion, auditSearch } from '../features/security/audit/audit-address.ts';
import { locksSearch } from '../features/security/locks/locks-address.ts';
import { lazyPage } from '../ui/lazy-part.tsx';
import { PAGES, type Page } from './navigation.ts';
import { NotFoundPage } from './not-found-page.tsx';
import { PageFailure } from './page-failure.tsx';
import { optionalText, parseSearch, stringifySearch } from './search-params.ts';
import { SignedIn } from './signed-in.tsx';
import { PageSkeleton } from './skeletons.tsx';

const PENDING_MS = 80;

interface AppContext {
  queryClient: QueryClient;
  pages: readonly Page[];
}

const root = createRootRouteWithContext<AppContext>()({ component: Outlet });

/** Everything that needs an operator: the session is asked for once, beside the page's own data. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  loader: ({ context }) => {
    void context.queryClient.prefetchQuery(sessionQuery);
  },
  component: SignedIn,
});

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/dashboard', replace: true });
  },
});

const overview = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard',
  // Most who are not signed in arrive here: nothing is asked for that would only be refused, and recorded as such.
  loader: ({ context: { queryClient } }) => {
    void queryClient.ensureQueryData(sessionQuery).then(
      () => {
        void queryClient.prefetchQuery(layoutQuery);
        void queryClient.prefetchQuery(statisticsQuery);
      },
      () => {},
    );
  },
  component: lazyPage(() => import('../features/overview/overview-page.tsx'), 'OverviewPage'),
});

/** Whether it is known already that the operator may see it. */
const mayRead = (queryClient: QueryClient, capability: Capability): boolean => {
  const operator = queryClient.getQueryData(sessionQuery.queryKey)?.user;
  return operator !== undefined && can(operator.role, capability);
};

const identities = createRoute({
  getParentRoute: () => signedIn,
  path: '/identities',
  validateSearch: identitiesSearch,
  loaderDeps: ({ search }) => search,
  // A page of the list is one upstream request and one audit record: never for a link that is merely pointed at.
  loader: ({ context, deps, cause, location }) => {
    if (cause === 'preload') return;
    void context.queryClient.prefetchQuery(identityPageQuery(pageQuestion(deps, location.state.pages ?? [])));
    void context.queryClient.prefetchQuery(identityTotalQuery);
  },
  component: lazyPage(() => import('../features/identities/list/identities-page.tsx'), 'IdentitiesPage'),
});

const identity = createRoute({
  getParentRoute: () => signedIn,
  path: '/identities/$id',
  // Who may not see a person's data is sent none: nothing is asked for before the role is known.
  loader: ({ context, cause, params }) => {
    if (cause === 'preload' || !mayRead(context.queryClient, 'identities.read')) return;
    if (identityIdIn(params.id) === undefined) return;
    void context.queryClient.prefetchQuery(identityQuery(params.id));
  },
  component: lazyPage(() => import('../features/identities/detail/identity-page.tsx'), 'IdentityPage'),
});

const identityTabs = [
  createRoute({
    getParentRoute: () => identity,
    path: '/',
    component: lazyPage(() => import('../features/identities/detail/overview-tab.tsx'), 'OverviewTab'),
  }),
  createRoute({
    getParentRoute: () => identity,
    path: '/traits',
    component: lazyPage(() => import('../features/identities/detail/traits-tab.tsx'), 'TraitsTab'),
  }),
  createRoute({
    getParentRoute: () => identity,
    path: '/credentials',
    component: lazyPage(() => import('../features/identities/detail/credentials-tab.tsx'), 'CredentialsTab'),
  }),
  createRoute({
    getParentRoute: () => identity,
    path: '/sessions',
    component: lazyPage(() => import('../features/identities/detail/sessions-tab.tsx'), 'SessionsTab'),
  }),
  createRoute({
    getParentRoute: () => identity,
    path: '/history',
    component: lazyPage(() => import('../features/identities/detail/history-tab.tsx'), 'HistoryTab'),
  }),
  createRoute({
    getParentRoute: () => identity,
    path: '/json',
    component: lazyPage(() => import('../features/identities/detail/json-tab.tsx'), 'JsonTab'),
  }),
  createRoute({
    getParentRoute: () => identity,
    path: '/traits/edit',
    component: lazyPage(() => import('../features/identities/form/identity-edit.tsx'), 'IdentityEdit'),
  }),
] as const;

const newIdentity = createRoute({
  getParentRoute: () => signedIn,
  path: '/identities/new',
  validateSearch: (search: Record<string, unknown>): { schema?: string } => ({ schema: optionalText(search.schema) }),
  component: lazyPage(() => import('../features/identities/form/new-identity-page.tsx'), 'NewIdentityPage'),
});

const importIdentities = createRoute({
  getParentRoute: () => signedIn,
  path: '/identities/import',
  component: lazyPage(() => import('../features/identities/transfer/import-page.tsx'), 'ImportPage'),
});

const exportIdentities = createRoute({
  getParentRoute: () => signedIn,
  path: '/identities/export',
  component: lazyPage(() => import('../features/identities/transfer/export-page.tsx'), 'ExportPage'),
});

const clients = createRoute({
  getParentRoute: () => signedIn,
  path: '/oauth/clients',
  validateSearch: clientsSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps, cause, location }) => {
    if (cause === 'preload' || !mayRead(context.queryClient, 'clients.read')) return;
    void context.queryClient.prefetchQuery(clientPageQuery(clientPageQuestion(deps, location.state.pages ?? [])));
  },
  component: lazyPage(() => import('../features/oauth-clients/list/clients-page.tsx'), 'ClientsPage'),
});

const client = createRoute({
  getParentRoute: () => signedIn,
  path: '/oauth/clients/$id',
  params: { parse: ({ id }) => ({ id: clientIdIn(id) }), stringify: ({ id }) => ({ id: clientInPath(id) }) },
  loader: ({ context, cause, params }) => {
    if (cause === 'preload' || params.id === '' || !mayRead(context.queryClient, 'clients.read')) return;
    void context.queryClient.prefetchQuery(clientQuery(params.id));
  },
  component: lazyPage(() => import('../features/oauth-clients/detail/client-page.tsx'), 'ClientPage'),
});

const clientTabs = [
  createRoute({
    getParentRoute: () => client,
    path: '/',
    component: lazyPage(() => import('../features/oauth-clients/detail/overview-tab.tsx'), 'OverviewTab'),
  }),
  createRoute({
    getParentRoute: () => client,
    path: '/configuration',
    component: lazyPage(() => import('../features/oauth-clients/detail/configuration-tab.tsx'), 'ConfigurationTab'),
  }),
  createRoute({
    getParentRoute: () => client,
    path: '/developer',
    component: lazyPage(() => import('../features/oauth-clients/detail/developer-tab.tsx'), 'DeveloperTab'),
  }),
  createRoute({
    getParentRoute: () => client,
    path: '/history',
    component: lazyPage(() => import('../features/oauth-clients/detail/history-tab.tsx'), 'HistoryTab'),
  }),
  createRoute({
    getParentRoute: () => client,
    path: '/json',
    component: lazyPage(() => import('../features/oauth-clients/detail/json-tab.tsx'), 'JsonTab'),
  }),
  createRoute({
    getParentRoute: () => client,
    path: '/edit',
    component: lazyPage(() => import('../features/oauth-clients/form/client-edit.tsx'), 'ClientEdit'),
  }),
] as const;

const newClient = createRoute({
  getParentRoute: () => signedIn,
  path: '/oauth/clients/new',
  validateSearch: (search: Record<string, unknown>): { kind?: KindName } => ({ kind: kindIn(search.kind) }),
  component: lazyPage(() => import('../features/oauth-clients/form/new-client-page.tsx'), 'NewClientPage'),
});

const introspect = createRoute({
  getParentRoute: () => signedIn,
  path: '/oauth/introspect',
  component: lazyPage(() => import('../features/introspect/introspect-page.tsx'), 'IntrospectPage'),
});

interface SettingsSearch {
  /** Shown in the list: the key contains this, the category is this. */
  q?: string;
  category?: string;
  /** What is open beside the list: a setting by its key, or an empty form. */
  key?: string;
  new?: 'true';
}

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings',
  validateSearch: (search: Record<string, unknown>): SettingsSearch => ({
    q: optionalText(search.q),
    category: optionalText(search.category),
    key: optionalText(search.key),
    new: search.new === 'true' ? 'true' : undefined,
  }),
  loader: ({ context }) => {
    void context.queryClient.prefetchQuery(settingsQuery);
  },
  component: lazyPage(() => import('../features/settings/settings-page.tsx'), 'SettingsPage'),
});

const security = createRoute({
  getParentRoute: () => signedIn,
  path: '/security',
  component: lazyPage(() => import('../features/security/security-page.tsx'), 'SecurityPage'),
});

const securityTabs = [
  createRoute({
    getParentRoute: () => security,
    path: '/',
    loader: ({ context }) => {
      if (mayRead(context.queryClient, 'security.read')) void context.queryClient.prefetchQuery(postureQuery);
    },
    component: lazyPage(() => import('../features/security/posture/posture-page.tsx'), 'PosturePage'),
  }),
  createRoute({
    getParentRoute: () => security,
    path: '/audit',
    validateSearch: auditSearch,
    loaderDeps: ({ search }) => search,
    loader: ({ context, deps, location }) => {
      if (!mayRead(context.queryClient, 'security.read')) return;
      void context.queryClient.prefetchQuery(auditPageQuery(auditQuestion(deps, location.state.pages ?? [])));
      void context.queryClient.prefetchQuery(auditChainQuery);
    },
    component: lazyPage(() => import('../features/security/audit/audit-page.tsx'), 'AuditPage'),
  }),
  createRoute({
    getParentRoute: () => security,
    path: '/locked-accounts',
    validateSearch: locksSearch,
    loader: ({ context }) => {
      if (mayRead(context.queryClient, 'security.read')) void context.queryClient.prefetchQuery(lockedAccountsQuery);
    },
    component: lazyPage(() => import('../features/security/locks/locks-page.tsx'), 'LocksPage'),
  }),
  createRoute({
    getParentRoute: () => security,
    path: '/operators',
    loader: ({ context }) => {
      if (mayRead(context.queryClient, 'security.read')) void context.queryClient.prefetchQuery(operatorsQuery);
    },
    component: lazyPage(() => import('../features/security/operators/operators-page.tsx'), 'OperatorsPage'),
  }),
] as const;

const system = createRoute({
  getParentRoute: () => signedIn,
  path: '/system',
  loader: ({ context }) => {
    void context.queryClient.prefetchQuery(configurationQuery);
  },
  component: lazyPage(() => import('../features/system/system-page.tsx'), 'SystemPage'),
});

const unknown = createRoute({ getParentRoute: () => signedIn, path: '$', component: NotFoundPage });

const signInFailed = createRoute({
  getParentRoute: () => root,
  path: '/sign-in-failed',
  validateSearch: (search: Record<string, unknown>): { reason?: string } => ({ reason: optionalText(search.reason) }),
  component: lazyPage(() => import('../features/sign-in/sign-in-failed-page.tsx'), 'SignInFailedPage'),
});

const signedOut = createRoute({
  getParentRoute: () => root,
  path: '/signed-out',
  validateSearch: (search: Record<string, unknown>): { server?: 'away' } => ({
    server: search.server === 'away' ? 'away' : undefined,
  }),
  component: lazyPage(() => import('../features/sign-in/signed-out-page.tsx'), 'SignedOutPage'),
});

const routeTree = root.addChildren([
  home,
  signedIn.addChildren([
    overview,
    identities,
    newIdentity,
    importIdentities,
    exportIdentities,
    identity.addChildren(identityTabs),
    clients,
    newClient,
    client.addChildren(clientTabs),
    introspect,
    settings,
    security.addChildren(securityTabs),
    system,
    unknown,
  ]),
  signInFailed,
  signedOut,
]);

export const createAppRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree,
    context: { queryClient, pages: PAGES },
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    // TanStack Query alone decides what is fresh.
    defaultPreloadStaleTime: 0,
    // Soon, but not for what arrives at once; and gone as soon as the page is there.
    defaultPendingMs: PENDING_MS,
    defaultPendingMinMs: 0,
    defaultPendingComponent: PageSkeleton,
    defaultErrorComponent: PageFailure,
    scrollRestoration: true,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
