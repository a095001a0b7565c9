// How a page is added:
// 1. `features/<name>/<name>-page.tsx` exports its component, which begins with <PageHeading> in every state;
// 2. a route here: path, typed search parameters, `lazyRouteComponent` for its chunk, and a loader that only starts
//    the page's query (not awaited: chunk, data and session load in parallel, the page shows its own skeleton);
//    free text stands in the search parameters, never in the path;
// 3. one line in `navigation.ts`, which feeds navigation, palette, overview and `g` keys.
// In the page: `getRouteApi('/signed-in/<path>')` for its parameters, `useQuery` for its data, and
// <FailurePanel error onRetry> for what fails (a viewer's 403 included).
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { can } from '../../shared/capabilities.ts';
import { configurationQuery } from '../api/configuration.ts';
import { layoutQuery } from '../api/dashboard-layout.ts';
import { identityPageQuery, identityTotalQuery } from '../api/identities.ts';
import { identityQuery } from '../api/identities-record.ts';
import { sessionQuery } from '../api/session.ts';
import { settingsQuery } from '../api/settings.ts';
import { statisticsQuery } from '../api/statistics.ts';
import { identityIdIn } from '../features/identities/identity-id.ts';
import { identitiesSearch, pageQuestion } from '../features/identities/list/list-address.ts';
import { PAGES, type Page } from './navigation.ts';
import { NotFoundPage } from './not-found-page.tsx';
import { PageFailure } from './page-failure.tsx';
import { optionalText, parseSearch, stringifySearch } from './search-params.ts';
import { SignedIn } from './signed-in.tsx';

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
  component: lazyRouteComponent(() => import('../features/overview/overview-page.tsx'), 'OverviewPage'),
});

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
  component: lazyRouteComponent(() => import('../features/identities/list/identities-page.tsx'), 'IdentitiesPage'),
});

const identity = createRoute({
  getParentRoute: () => signedIn,
  path: '/identities/$id',
  // Who may not see a person's data is sent none: nothing is asked for before the role is known.
  loader: ({ context, cause, params }) => {
    const operator = context.queryClient.getQueryData(sessionQuery.queryKey)?.user;
    if (
      cause === 'preload' ||
      operator === undefined ||
      !can(operator.role, 'identities.read') ||
      identityIdIn(params.id) === undefined
    )
      return;
    void context.queryClient.prefetchQuery(identityQuery(params.id));
  },
  component: lazyRouteComponent(() => import('../features/identities/detail/identity-page.tsx'), 'IdentityPage'),
});

const identityTabs = [
  createRoute({
    getParentRoute: () => identity,
    path: '/',
    component: lazyRouteComponent(() => import('../features/identities/detail/overview-tab.tsx'), 'OverviewTab'),
  }),
  createRoute({
    getParentRoute: () => identity,
    path: '/traits',
    component: lazyRouteComponent(() => import('../features/identities/detail/traits-tab.tsx'), 'TraitsTab'),
  }),
  createRoute({
    getParentRoute: () => identity,
    path: '/credentials',
    component: lazyRouteComponent(() => import('../features/identities/detail/credentials-tab.tsx'), 'CredentialsTab'),
  }),
  createRoute({
    getParentRoute: () => identity,
    path: '/sessions',
    component: lazyRouteComponent(() => import('../features/identities/detail/sessions-tab.tsx'), 'SessionsTab'),
  }),
  createRoute({
    getParentRoute: () => identity,
    path: '/json',
    component: lazyRouteComponent(() => import('../features/identities/detail/json-tab.tsx'), 'JsonTab'),
  }),
  createRoute({
    getParentRoute: () => identity,
    path: '/traits/edit',
    component: lazyRouteComponent(() => import('../features/identities/form/identity-edit.tsx'), 'IdentityEdit'),
  }),
] as const;

const newIdentity = createRoute({
  getParentRoute: () => signedIn,
  path: '/identities/new',
  validateSearch: (search: Record<string, unknown>): { schema?: string } => ({ schema: optionalText(search.schema) }),
  component: lazyRouteComponent(() => import('../features/identities/form/new-identity-page.tsx'), 'NewIdentityPage'),
});

const importIdentities = createRoute({
  getParentRoute: () => signedIn,
  path: '/identities/import',
  component: lazyRouteComponent(() => import('../features/identities/transfer/import-page.tsx'), 'ImportPage'),
});

const exportIdentities = createRoute({
  getParentRoute: () => signedIn,
  path: '/identities/export',
  component: lazyRouteComponent(() => import('../features/identities/transfer/export-page.tsx'), 'ExportPage'),
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
  component: lazyRouteComponent(() => import('../features/settings/settings-page.tsx'), 'SettingsPage'),
});

const system = createRoute({
  getParentRoute: () => signedIn,
  path: '/system',
  loader: ({ context }) => {
    void context.queryClient.prefetchQuery(configurationQuery);
  },
  component: lazyRouteComponent(() => import('../features/system/system-page.tsx'), 'SystemPage'),
});

const unknown = createRoute({ getParentRoute: () => signedIn, path: '$', component: NotFoundPage });

const signInFailed = createRoute({
  getParentRoute: () => root,
  path: '/sign-in-failed',
  validateSearch: (search: Record<string, unknown>): { reason?: string } => ({ reason: optionalText(search.reason) }),
  component: lazyRouteComponent(() => import('../features/sign-in/sign-in-failed-page.tsx'), 'SignInFailedPage'),
});

const signedOut = createRoute({
  getParentRoute: () => root,
  path: '/signed-out',
  validateSearch: (search: Record<string, unknown>): { server?: 'away' } => ({
    server: search.server === 'away' ? 'away' : undefined,
  }),
  component: lazyRouteComponent(() => import('../features/sign-in/signed-out-page.tsx'), 'SignedOutPage'),
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
    settings,
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
    defaultPendingMs: 300,
    defaultErrorComponent: PageFailure,
    scrollRestoration: true,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
