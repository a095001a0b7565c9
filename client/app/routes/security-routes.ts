import { createRoute } from '@tanstack/react-router';
import { auditChainQuery, auditPageQuery } from '../../api/audit.ts';
import { lockedAccountsQuery, operatorsQuery, postureQuery } from '../../api/security.ts';
import { auditSearch } from '../../features/security/audit/audit-search-params.ts';
import { locksSearch } from '../../features/security/locks/locks-search-params.ts';
import { pageParams } from '../../resource/list/page-step.ts';
import { lazyPage } from '../../ui/loading/lazy-part.tsx';
import { strictSearch } from '../search-params.ts';
import { mayRead, signedIn } from './frame.ts';

export const security = createRoute({
  getParentRoute: () => signedIn,
  path: '/security',
  component: lazyPage(() => import('../../features/security/security-page.tsx'), 'SecurityPage'),
});

export const securityTabs = [
  createRoute({
    getParentRoute: () => security,
    path: '/',
    loader: ({ context }) => {
      if (mayRead(context.queryClient, 'posture.read')) void context.queryClient.prefetchQuery(postureQuery);
    },
    component: lazyPage(() => import('../../features/security/posture/posture-page.tsx'), 'PosturePage'),
  }),
  createRoute({
    getParentRoute: () => security,
    path: '/audit',
    validateSearch: strictSearch(auditSearch),
    loaderDeps: ({ search }) => search,
    loader: ({ context, deps, location }) => {
      if (!mayRead(context.queryClient, 'audit.read')) return;
      void context.queryClient.prefetchQuery(
        auditPageQuery(pageParams(auditSearch({ ...deps }), location.state.pages ?? [])),
      );
      void context.queryClient.prefetchQuery(auditChainQuery);
    },
    component: lazyPage(() => import('../../features/security/audit/audit-page.tsx'), 'AuditPage'),
  }),
  createRoute({
    getParentRoute: () => security,
    path: '/locked-accounts',
    validateSearch: strictSearch(locksSearch),
    loader: ({ context }) => {
      if (mayRead(context.queryClient, 'locks.read')) void context.queryClient.prefetchQuery(lockedAccountsQuery);
    },
    component: lazyPage(() => import('../../features/security/locks/locks-page.tsx'), 'LocksPage'),
  }),
  createRoute({
    getParentRoute: () => security,
    path: '/operators',
    loader: ({ context }) => {
      if (mayRead(context.queryClient, 'operators.read')) void context.queryClient.prefetchQuery(operatorsQuery);
    },
    component: lazyPage(() => import('../../features/security/operators/operators-page.tsx'), 'OperatorsPage'),
  }),
] as const;
