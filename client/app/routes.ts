import { createRoute, redirect } from '@tanstack/react-router';
import { isUuid } from '../../shared/json.ts';
import { auditChainQuery, auditPageQuery } from '../api/audit.ts';
import { consentsQuery } from '../api/consents.ts';
import { identityTotalQuery } from '../api/identities.ts';
import { layoutQuery, statisticsQuery } from '../api/overview.ts';
import { lockedAccountsQuery, operatorsQuery, postureQuery } from '../api/security.ts';
import { configurationQuery, SERVICES_EVERY_MS, servicesQuery } from '../api/services.ts';
import { mayRead, sessionQuery } from '../api/session.ts';
import { settingPageQuery, socialConnectionsQuery, socialSettingsQuery } from '../api/settings.ts';
import { hasPage, hasPeople } from '../deployment.ts';
import { IDENTITIES, parseIdentitiesSearch } from '../features/identities/identity-resource.ts';
import { MESSAGES } from '../features/messages/message-resource.ts';
import { CLIENTS, type KindName, kindIn } from '../features/oauth-clients/client-resource.ts';
import { SCHEMAS } from '../features/schemas/schema-resource.ts';
import { auditSearch, textsIn } from '../features/security/search-params.ts';
import { SIGN_INS } from '../features/security/sign-in-resource.ts';
import { SESSIONS } from '../features/sessions/session-resource.ts';
import { type SettingsSearch, settingsSearch } from '../features/settings/setting-resource.ts';
import { pageParams } from '../list/resource.ts';
import { lazyPage } from '../ui/lazy-part.tsx';
import { NotFoundPage } from './failures.tsx';
import { SecurityPage } from './navigation.tsx';
import { loading, optionalText, resourceRoutes, root, signedIn, strictSearch } from './resource-routes.ts';

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
  // The id of a widget to add.
  validateSearch: strictSearch(({ add }): { add?: string } => ({ add: optionalText(add) })),
  // Signed-out visitors mostly arrive here and refusals are audited, so wait for the session. Never on hover: the first
  // request for statistics makes the server read the upstreams.
  loader: ({ context: { queryClient }, cause }) => {
    if (cause === 'preload') return;
    void queryClient.ensureQueryData(sessionQuery).then(
      () => {
        void queryClient.prefetchQuery(layoutQuery);
        if (mayRead(queryClient, 'statistics.read')) void queryClient.prefetchQuery(statisticsQuery);
        if (hasPeople() && mayRead(queryClient, 'identities.read')) void queryClient.prefetchQuery(identityTotalQuery);
      },
      () => {},
    );
  },
  component: lazyPage(() => import('../features/overview/overview-page.tsx'), 'OverviewPage'),
});

const identities = resourceRoutes(
  IDENTITIES,
  lazyPage(() => import('../features/identities/identities-page.tsx'), 'IdentitiesPage'),
  lazyPage(() => import('../features/identities/identity-page.tsx'), 'IdentityPage'),
  ['/', '/traits', '/credentials', '/sessions', '/messages', '/history', '/json'],
);

const editIdentity = createRoute({
  getParentRoute: () => identities.record,
  path: '/traits/edit',
  component: lazyPage(() => import('../features/identities/identity-edit.tsx'), 'IdentityEdit'),
});

/** A tab of the identity page, implemented by another feature. */
const identityConsents = createRoute({
  getParentRoute: () => identities.record,
  path: '/consents',
  loader: ({ context, cause, params }) => {
    if (cause === 'preload' || !mayRead(context.queryClient, 'consents.read')) return;
    void context.queryClient.prefetchInfiniteQuery(consentsQuery(params.id));
  },
  component: lazyPage(() => import('../features/consents/subject-consents.tsx'), 'ConsentsTab'),
});

const newIdentity = createRoute({
  getParentRoute: () => signedIn,
  path: '/identities/new',
  validateSearch: strictSearch(({ schema }): { schema?: string } => ({ schema: optionalText(schema) })),
  component: lazyPage(() => import('../features/identities/new-identity-page.tsx'), 'NewIdentityPage'),
});

const importIdentities = createRoute({
  getParentRoute: () => signedIn,
  path: '/identities/import',
  component: lazyPage(() => import('../features/import-export/import-page.tsx'), 'ImportPage'),
});

const exportIdentities = createRoute({
  getParentRoute: () => signedIn,
  path: '/identities/export',
  validateSearch: strictSearch(parseIdentitiesSearch),
  component: lazyPage(() => import('../features/import-export/export-page.tsx'), 'ExportPage'),
});

const sessions = resourceRoutes(
  SESSIONS,
  lazyPage(() => import('../features/sessions/sessions-page.tsx'), 'SessionsPage'),
  lazyPage(() => import('../features/sessions/session-page.tsx'), 'SessionPage'),
  ['/', '/json'],
);

const clients = resourceRoutes(
  CLIENTS,
  lazyPage(() => import('../features/oauth-clients/clients-page.tsx'), 'ClientsPage'),
  lazyPage(() => import('../features/oauth-clients/client-page.tsx'), 'ClientPage'),
  ['/', '/configuration', '/developer', '/history', '/json'],
);

const editClient = createRoute({
  getParentRoute: () => clients.record,
  path: '/edit',
  component: lazyPage(() => import('../features/oauth-clients/client-edit.tsx'), 'ClientEdit'),
});

const newClient = createRoute({
  getParentRoute: () => signedIn,
  path: '/oauth/clients/new',
  validateSearch: strictSearch(({ kind }): { kind?: KindName } => ({ kind: kindIn(kind) })),
  component: lazyPage(() => import('../features/oauth-clients/new-client-page.tsx'), 'NewClientPage'),
});

const introspect = createRoute({
  getParentRoute: () => signedIn,
  path: '/oauth/introspect',
  component: lazyPage(() => import('../features/introspect/introspect-page.tsx'), 'IntrospectPage'),
});

const consents = createRoute({
  getParentRoute: () => signedIn,
  path: '/oauth/consents',
  validateSearch: strictSearch((search): { subject?: string; client?: string } =>
    textsIn(search, ['subject', 'client']),
  ),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps, cause }) => {
    if (cause === 'preload' || deps.subject === undefined || !mayRead(context.queryClient, 'consents.read')) return;
    if (!isUuid(deps.subject) && !mayRead(context.queryClient, 'upstreams.write')) return;
    void context.queryClient.prefetchInfiniteQuery(consentsQuery(deps.subject));
  },
  component: lazyPage(() => import('../features/consents/consents-page.tsx'), 'ConsentsPage'),
});

const messages = resourceRoutes(
  MESSAGES,
  lazyPage(() => import('../features/messages/messages-page.tsx'), 'MessagesPage'),
  lazyPage(() => import('../features/messages/message-page.tsx'), 'MessagePage'),
  ['/', '/json'],
);

const schemas = resourceRoutes(
  SCHEMAS,
  lazyPage(() => import('../features/schemas/schemas-page.tsx'), 'SchemasPage'),
  lazyPage(() => import('../features/schemas/schema-page.tsx'), 'SchemaPage'),
  ['/', '/form', '/json'],
);

const connections = createRoute({
  getParentRoute: () => signedIn,
  path: '/connections',
  loader: loading('settings.read', socialSettingsQuery, socialConnectionsQuery),
  component: lazyPage(() => import('../features/connections/connections-page.tsx'), 'ConnectionsPage'),
});

/** `q` and `category` filter the list. Beside it, `key` opens a setting, and `new` an empty form. */
const settings = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings',
  validateSearch: strictSearch((search): SettingsSearch & { key?: string; new?: 'true' } => ({
    ...settingsSearch(search),
    key: optionalText(search.key),
    ...(search.new === 'true' ? { new: 'true' } : {}),
  })),
  loaderDeps: ({ search: { key: _, new: __, ...search } }) => search,
  loader: ({ context, deps, location }) => {
    if (!mayRead(context.queryClient, 'settings.read', true)) return;
    void context.queryClient.prefetchQuery(settingPageQuery(pageParams(deps, location.state.pages ?? [])));
  },
  component: lazyPage(() => import('../features/settings/settings-page.tsx'), 'SettingsPage'),
});

const system = createRoute({
  getParentRoute: () => signedIn,
  path: '/system',
  // Never on hover: each check calls every upstream.
  loader: ({ context, cause }) => {
    if (cause === 'preload') return;
    void context.queryClient.prefetchQuery(servicesQuery(SERVICES_EVERY_MS));
    if (mayRead(context.queryClient, 'configuration.read')) void context.queryClient.prefetchQuery(configurationQuery);
  },
  component: lazyPage(() => import('../features/system/system-page.tsx'), 'SystemPage'),
});

const security = createRoute({
  getParentRoute: () => signedIn,
  path: '/security',
  component: SecurityPage,
});

const posture = createRoute({
  getParentRoute: () => security,
  path: '/',
  loader: loading('posture.read', postureQuery),
  component: lazyPage(() => import('../features/security/posture-page.tsx'), 'PosturePage'),
});

const audit = createRoute({
  getParentRoute: () => security,
  path: '/audit',
  validateSearch: strictSearch(auditSearch),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, cause, deps, location }) => {
    if (cause === 'preload' || !mayRead(queryClient, 'audit.read')) return;
    const params = pageParams(auditSearch({ ...deps }), location.state.pages ?? []);
    void queryClient.prefetchQuery(auditPageQuery(params));
    void queryClient.prefetchQuery(auditChainQuery);
  },
  component: lazyPage(() => import('../features/security/audit-page.tsx'), 'AuditPage'),
});

const signInsPage = lazyPage(() => import('../features/security/sign-ins-page.tsx'), 'SignInsPage');
const signIns = resourceRoutes(SIGN_INS, signInsPage, NotFoundPage, []).list;

const locks = createRoute({
  getParentRoute: () => security,
  path: '/locked-accounts',
  validateSearch: strictSearch((search): { q?: string } => textsIn(search, ['q'])),
  loader: loading('locks.read', lockedAccountsQuery),
  component: lazyPage(() => import('../features/security/locks-page.tsx'), 'LocksPage'),
});

const operators = createRoute({
  getParentRoute: () => security,
  path: '/operators',
  loader: loading('operators.read', operatorsQuery),
  component: lazyPage(() => import('../features/security/operators-page.tsx'), 'OperatorsPage'),
});

const unknown = createRoute({ getParentRoute: () => signedIn, path: '$', component: NotFoundPage });

const signInFailed = createRoute({
  getParentRoute: () => root,
  path: '/sign-in-failed',
  validateSearch: strictSearch(({ reason }): { reason?: string } => ({ reason: optionalText(reason) })),
  component: lazyPage(() => import('./sign-in-pages.tsx'), 'SignInFailedPage'),
});

const signedOut = createRoute({
  getParentRoute: () => root,
  path: '/signed-out',
  validateSearch: strictSearch(({ server, provider }): { server?: 'away'; provider?: 'continues' } => ({
    ...(server === 'away' && { server }),
    ...(provider === 'continues' && { provider }),
  })),
  component: lazyPage(() => import('./sign-in-pages.tsx'), 'SignedOutPage'),
});

/** Leaves out the pages that this deployment does not have. The type names all, for links. */
const existing = <Routes extends object>(routes: Routes): Routes =>
  Object.fromEntries(Object.entries(routes).filter(([, { options }]) => hasPage(options.path))) as Routes;

const signedInRoutes = () =>
  existing([
    overview,
    identities.list,
    newIdentity,
    importIdentities,
    exportIdentities,
    identities.record.addChildren(existing({ ...identities.tabs, editIdentity, identityConsents })),
    clients.list,
    newClient,
    clients.record.addChildren({ ...clients.tabs, editClient }),
    consents,
    introspect,
    messages.list,
    messages.record.addChildren(messages.tabs),
    schemas.list,
    schemas.record.addChildren(schemas.tabs),
    sessions.list,
    sessions.record.addChildren(sessions.tabs),
    connections,
    settings,
    security.addChildren([posture, audit, locks, operators]),
    signIns,
    system,
    unknown,
  ]);

export const routeTree = () =>
  root.addChildren([home, signedIn.addChildren(signedInRoutes()), signInFailed, signedOut]);
