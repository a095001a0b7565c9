// To add a page (for a resource's pages see docs/architecture.md):
// 1. `features/<name>/<name>-page.tsx`: its component, which begins with <PageHeading> in every state.
// 2. A route in `routes/`, added to the tree below: path, search parameters (`strictSearch`), `lazyPage` for its chunk,
//    and a loader that starts the page's query without awaiting it, so that chunk, data and session load in parallel.
//    Free text goes into search parameters, never into the path.
// 3. A line in `navigation.ts`, for navigation, palette, overview and `g` keys.
// In the page: `getRouteApi('/signed-in/<path>')` for its parameters, `useQuery` for its data, and
// <FailurePanel error onRetry> for failures (including a viewer's 403).
import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { MESSAGE_PAGES } from '../features/messages/message-pages.ts';
import { MESSAGES } from '../features/messages/message-resource.ts';
import { CLIENT_PAGES } from '../features/oauth-clients/client-pages.ts';
import { CLIENTS } from '../features/oauth-clients/client-resource.ts';
import { SCHEMA_PAGES } from '../features/schemas/schema-pages.ts';
import { SCHEMAS } from '../features/schemas/schema-resource.ts';
import { SESSION_PAGES } from '../features/sessions/session-pages.ts';
import { SESSIONS } from '../features/sessions/session-resource.ts';
import { PageFailure } from './failure/page-failure.tsx';
import { PAGES } from './navigation.ts';
import { root, signedIn } from './routes/frame.ts';
import {
  exportIdentities,
  identities,
  identityConsents,
  importIdentities,
  newIdentity,
} from './routes/identity-routes.ts';
import { consents, introspect, newClient } from './routes/oauth-routes.ts';
import { home, overview } from './routes/overview-routes.ts';
import { signedOut, signInFailed, unknown } from './routes/public-routes.ts';
import { resourceRoutes } from './routes/resource-routes.ts';
import { security, securityTabs } from './routes/security-routes.ts';
import { connections, settings, system } from './routes/settings-routes.ts';
import { parseSearch, stringifySearch } from './search-params.ts';
import { PageSkeleton } from './skeletons.tsx';

const PENDING_MS = 80;

const clients = resourceRoutes(CLIENTS, CLIENT_PAGES);
const messages = resourceRoutes(MESSAGES, MESSAGE_PAGES);
const sessions = resourceRoutes(SESSIONS, SESSION_PAGES);
const schemas = resourceRoutes(SCHEMAS, SCHEMA_PAGES);

const routeTree = root.addChildren([
  home,
  signedIn.addChildren([
    overview,
    identities.list,
    newIdentity,
    importIdentities,
    exportIdentities,
    identities.record.addChildren({ ...identities.tabs, identityConsents }),
    clients.list,
    newClient,
    clients.record.addChildren(clients.tabs),
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
    // Only TanStack Query decides what is fresh.
    defaultPreloadStaleTime: 0,
    // Late enough not to flash when the page is quick, and removed as soon as the page is there.
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
