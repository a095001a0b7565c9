import { createRoute } from '@tanstack/react-router';
import { bodySearch } from '../../features/messages/body/body-view.ts';
import { messagesSearch } from '../../features/messages/list/search-params.ts';
import { lazyPage } from '../../ui/loading/lazy-part.tsx';
import { strictSearch } from '../search-params.ts';
import { signedIn } from './frame.ts';

// These pages ask for their data themselves: their questions would else stand in what is loaded before any page.
export const messages = createRoute({
  getParentRoute: () => signedIn,
  path: '/messages',
  validateSearch: strictSearch(messagesSearch),
  component: lazyPage(() => import('../../features/messages/list/messages-page.tsx'), 'MessagesPage'),
});

export const message = createRoute({
  getParentRoute: () => signedIn,
  path: '/messages/$id',
  component: lazyPage(() => import('../../features/messages/detail/message-page.tsx'), 'MessagePage'),
});

export const messageTabs = [
  createRoute({
    getParentRoute: () => message,
    path: '/',
    validateSearch: strictSearch(bodySearch),
    component: lazyPage(() => import('../../features/messages/detail/overview-tab.tsx'), 'OverviewTab'),
  }),
  createRoute({
    getParentRoute: () => message,
    path: '/json',
    component: lazyPage(() => import('../../features/messages/detail/json-tab.tsx'), 'JsonTab'),
  }),
] as const;
