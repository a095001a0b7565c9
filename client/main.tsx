import './app/startup/first-styles.ts';
import 'virtual:theme-variables.css';
import './app/startup/page.css';
import './app/startup/frame-skeleton.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './app/query-client.ts';
import { createAppRouter } from './app/router.ts';
import { themeOf } from './app/theme.ts';
import { deployment, deploymentName, environmentLabel } from './deployment.ts';
import workforceFavicon from './favicons/workforce.svg';
import { styleNonce } from './lib/style-nonce.ts';
import { takeReturnPath } from './session/sign-in.ts';
import { MissingPart } from './ui/feedback/missing-part.ts';

document.title = [deploymentName, environmentLabel].filter(Boolean).join(' · ');
if (deployment === 'workforce') {
  document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.setAttribute('href', workforceFavicon);
}

// The provider sends everyone to /dashboard; whoever left another page for sign-in goes on there.
const returnPath = takeReturnPath();
if (returnPath !== undefined && location.pathname === '/dashboard') history.replaceState(null, '', returnPath);

/** A task of its own: reading the app is one already, and the browser answers between them. */
setTimeout(() => {
  const queryClient = createQueryClient();
  const router = createAppRouter(queryClient);
  // Session, data and the page's chunk are on their way while the first frame is drawn, not after it.
  void router.load();

  const root = createRoot(document.getElementById('root') as HTMLElement, {
    // That a part is missing is said where it is missing; anything else that was caught is a fault of ours.
    onCaughtError: (error) => error instanceof MissingPart || reportError(error),
  });
  // A transition is drawn in pieces, between which the browser goes on answering; anything else at one go.
  startTransition(() =>
    root.render(
      <MantineProvider
        theme={themeOf(deployment)}
        defaultColorScheme="auto"
        getStyleNonce={() => styleNonce}
        // They stand in the style sheet, see theme-variables.ts; and nothing hides by Mantine's classes.
        withCssVariables={false}
        withGlobalClasses={false}
      >
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>,
    ),
  );
});
