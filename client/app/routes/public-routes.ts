import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../ui/lazy-part.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { optionalText } from '../search-params.ts';
import { root, signedIn } from './frame.ts';

export const unknown = createRoute({ getParentRoute: () => signedIn, path: '$', component: NotFoundPage });

export const signInFailed = createRoute({
  getParentRoute: () => root,
  path: '/sign-in-failed',
  validateSearch: (search: Record<string, unknown>): { reason?: string } => ({ reason: optionalText(search.reason) }),
  component: lazyPage(() => import('../../features/sign-in/sign-in-failed-page.tsx'), 'SignInFailedPage'),
});

export const signedOut = createRoute({
  getParentRoute: () => root,
  path: '/signed-out',
  validateSearch: (search: Record<string, unknown>): { server?: 'away' } => ({
    server: search.server === 'away' ? 'away' : undefined,
  }),
  component: lazyPage(() => import('../../features/sign-in/signed-out-page.tsx'), 'SignedOutPage'),
});
