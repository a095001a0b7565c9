import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet } from '@tanstack/react-router';
import { type Capability, can } from '../../../shared/capabilities.ts';
import { sessionQuery } from '../../api/session.ts';
import type { Page } from '../../resource/define-resource.ts';
import { SignedIn } from '../signed-in.tsx';

interface AppContext {
  queryClient: QueryClient;
  pages: readonly Page[];
}

export const root = createRootRouteWithContext<AppContext>()({ component: Outlet });

/** Parent of all pages for operators. The session is requested in parallel with the page's data. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  loader: ({ context }) => {
    void context.queryClient.prefetchQuery(sessionQuery);
  },
  component: SignedIn,
});

/** @param beforeSession the answer while the session is unknown: the service itself refuses what is requested then */
export const mayRead = (queryClient: QueryClient, capability: Capability, beforeSession = false): boolean => {
  const role = queryClient.getQueryData(sessionQuery.queryKey)?.user.role;
  return role === undefined ? beforeSession : can(role, capability);
};
