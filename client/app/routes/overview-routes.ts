import { createRoute, redirect } from '@tanstack/react-router';
import { layoutQuery } from '../../api/dashboard-layout.ts';
import { identityTotalQuery } from '../../api/identities.ts';
import { sessionQuery } from '../../api/session.ts';
import { statisticsQuery } from '../../api/statistics.ts';
import { lazyPage } from '../../ui/loading/lazy-part.tsx';
import { mayRead, root, signedIn } from './frame.ts';

export const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/dashboard', replace: true });
  },
});

export const overview = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard',
  // Signed-out visitors mostly arrive here, so wait for the session: refusals are recorded. Not on hover: the first
  // question for statistics has the upstreams read.
  loader: ({ context: { queryClient }, cause }) => {
    if (cause === 'preload') return;
    void queryClient.ensureQueryData(sessionQuery).then(
      () => {
        void queryClient.prefetchQuery(layoutQuery);
        if (mayRead(queryClient, 'statistics.read')) void queryClient.prefetchQuery(statisticsQuery);
        if (mayRead(queryClient, 'identities.read')) void queryClient.prefetchQuery(identityTotalQuery);
      },
      () => {},
    );
  },
  component: lazyPage(() => import('../../features/overview/overview-page.tsx'), 'OverviewPage'),
});
