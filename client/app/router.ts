// To add a page:
// 1. `features/<name>/<name>-page.tsx` exports its component, which renders <PageHeading> first in every state;
// 2. a route in `routes/`, added to the tree below: path, search parameters (`strictSearch`), `lazyPage` for its chunk,
//    and a loader that only starts the page's query (not awaited: chunk, data and session load in parallel, the page
//    shows its own skeleton); free text goes into search parameters, never into the path;
// 3. one line in `navigation.ts`, which feeds navigation, palette, overview and `g` keys, and one in `first-modules.ts`.
// In the page: `getRouteApi('/signed-in/<path>')` for its parameters, `useQuery` for its data, and
// <FailurePanel error onRetry> for failures (including a viewer's 403).
import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { PageFailure } from './failure/page-failure.tsx';
import { PAGES } from './navigation.ts';
import { root, signedIn } from './routes/frame.ts';
import {
  exportIdentities,
  identities,
  identity,
  identityTabs,
  importIdentities,
  newIdentity,
} from './routes/identity-routes.ts';
import { message, messages, messageTabs } from './routes/message-routes.ts';
import { client, clients, clientTabs, consents, introspect, newClient } from './routes/oauth-routes.ts';
import { home, overview } from './routes/overview-routes.ts';
import { signedOut, signInFailed, unknown } from './routes/public-routes.ts';
import { schema, schemas, schemaTabs } from './routes/schema-routes.ts';
import { security, securityTabs } from './routes/security-routes.ts';
import { session, sessions, sessionTabs } from './routes/session-routes.ts';
import { connections, settings, system } from './routes/settings-routes.ts';
import { parseSearch, stringifySearch } from './search-params.ts';
import { PageSkeleton } from './skeletons.tsx';

const PENDING_MS = 80;

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
    consents,
    introspect,
    messages,
    message.addChildren(messageTabs),
    schemas,
    schema.addChildren(schemaTabs),
    sessions,
    session.addChildren(sessionTabs),
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
