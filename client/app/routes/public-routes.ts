import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../ui/loading/lazy-part.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { optionalText, strictSearch } from '../search-params.ts';
import { root, signedIn } from './frame.ts';

export const unknown = createRoute({ getParentRoute: () => signedIn, path: '$', component: NotFoundPage });

export const signInFailed = createRoute({
  getParentRoute: () => root,
  path: '/sign-in-failed',
  validateSearch: strictSearch(({ reason }): { reason?: string } => ({ reason: optionalText(reason) })),
  component: lazyPage(() => import('../../features/sign-in/sign-in-failed-page.tsx'), 'SignInFailedPage'),
});

export const signedOut = createRoute({
  getParentRoute: () => root,
  path: '/signed-out',
  validateSearch: strictSearch(({ server }): { server?: 'away' } => (server === 'away' ? { server } : {})),
  component: lazyPage(() => import('../../features/sign-in/signed-out-page.tsx'), 'SignedOutPage'),
});
