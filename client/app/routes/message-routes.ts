import { createRoute } from '@tanstack/react-router';
import { messageQuery } from '../../api/message-record.ts';
import { messagePageQuery } from '../../api/messages.ts';
import { bodySearch } from '../../features/messages/body/body-view.ts';
import { messagesSearch, pageQuestion } from '../../features/messages/list/list-address.ts';
import { lazyPage } from '../../ui/lazy-part.tsx';
import { identityIdIn } from '../../wording/identity-id.ts';
import { mayRead, signedIn } from './frame.ts';

export const messages = createRoute({
  getParentRoute: () => signedIn,
  path: '/messages',
  validateSearch: messagesSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps, cause, location }) => {
    if (cause === 'preload' || !mayRead(context.queryClient, 'messages.read')) return;
    void context.queryClient.prefetchQuery(messagePageQuery(pageQuestion(deps, location.state.pages ?? [])));
  },
  component: lazyPage(() => import('../../features/messages/list/messages-page.tsx'), 'MessagesPage'),
});

export const message = createRoute({
  getParentRoute: () => signedIn,
  path: '/messages/$id',
  loader: ({ context, cause, params }) => {
    if (cause === 'preload' || identityIdIn(params.id) === undefined || !mayRead(context.queryClient, 'messages.read'))
      return;
    void context.queryClient.prefetchQuery(messageQuery(params.id));
  },
  component: lazyPage(() => import('../../features/messages/detail/message-page.tsx'), 'MessagePage'),
});

export const messageTabs = [
  createRoute({
    getParentRoute: () => message,
    path: '/',
    validateSearch: bodySearch,
    component: lazyPage(() => import('../../features/messages/detail/overview-tab.tsx'), 'OverviewTab'),
  }),
  createRoute({
    getParentRoute: () => message,
    path: '/json',
    component: lazyPage(() => import('../../features/messages/detail/json-tab.tsx'), 'JsonTab'),
  }),
] as const;
