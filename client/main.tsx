import './app/startup/first-styles.ts';
import 'virtual:theme-variables.css';
import './app/startup/page.css';
import './app/startup/frame-skeleton.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './app/query-client.ts';
import { createAppRouter } from './app/router.ts';
import { deployment, deploymentName, environmentLabel } from './deployment.ts';
import workforceFavicon from './favicons/workforce.svg';
import { startColorScheme } from './lib/color-scheme.ts';
import { takeReturnPath } from './session/sign-in.ts';
import { MissingPart } from './ui/feedback/missing-part.ts';

startColorScheme();
document.title = [deploymentName, environmentLabel].filter(Boolean).join(' · ');
if (deployment === 'workforce') {
  document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.setAttribute('href', workforceFavicon);
}

// The provider sends everyone to /dashboard; return to the page that was left for sign-in.
const returnPath = takeReturnPath();
if (returnPath !== undefined && location.pathname === '/dashboard') history.replaceState(null, '', returnPath);

/** In a task of its own: evaluating the app is a long task already, and the browser can respond in between. */
setTimeout(() => {
  const queryClient = createQueryClient();
  const router = createAppRouter(queryClient);
  // Load session, data and the page's chunk while the first frame is drawn, not after it.
  void router.load();

  const root = createRoot(document.getElementById('root') as HTMLElement, {
    // A missing part is reported where it is missing; any other caught error is a bug.
    onCaughtError: (error) => error instanceof MissingPart || reportError(error),
  });
  // A transition renders in slices that leave the browser responsive; anything else blocks it.
  startTransition(() =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>,
    ),
  );
});
