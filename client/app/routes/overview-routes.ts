import { createRoute, redirect } from '@tanstack/react-router';
import { layoutQuery } from '../../api/dashboard-layout.ts';
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
  // Most who are not signed in arrive here: nothing is asked for that would only be refused, and recorded as such. Nor is
  // it for a link that is merely pointed at: the figures cost the upstreams a crawl.
  loader: ({ context: { queryClient }, cause }) => {
    if (cause === 'preload') return;
    void queryClient.ensureQueryData(sessionQuery).then(
      () => {
        void queryClient.prefetchQuery(layoutQuery);
        if (mayRead(queryClient, 'statistics.read')) void queryClient.prefetchQuery(statisticsQuery);
      },
      () => {},
    );
  },
  component: lazyPage(() => import('../../features/overview/overview-page.tsx'), 'OverviewPage'),
});
