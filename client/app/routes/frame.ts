import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet } from '@tanstack/react-router';
import { type Capability, can, type Role } from '../../../shared/capabilities.ts';
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

const roleIn = (queryClient: QueryClient): Role | undefined =>
  queryClient.getQueryData(sessionQuery.queryKey)?.user.role;

/** False also while the session is unknown. */
export const mayRead = (queryClient: QueryClient, capability: Capability): boolean => {
  const role = roleIn(queryClient);
  return role !== undefined && can(role, capability);
};

/** For what is requested before the session is known, and then refused by the service. */
export const mightRead = (queryClient: QueryClient, capability: Capability): boolean =>
  roleIn(queryClient) === undefined || mayRead(queryClient, capability);
