import './mantine-styles.ts';
import './theme.css';
import './page.css';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { type ReactNode, startTransition, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './app/query-client.ts';
import { createAppRouter } from './app/router.ts';
import { deployment, deploymentName, environmentLabel } from './deployment.ts';
import workforceFavicon from './favicons/workforce.svg';
import { takeReturnPath } from './lib/sign-in.ts';
import { mantine } from './theme.ts';
import { MissingPart } from './ui/lazy-part.tsx';

// Mantine sets the colour scheme only after the first render; until then, the skeleton would follow the system.
const chosen = localStorageColorSchemeManager().get('auto');
if (chosen !== 'auto') document.documentElement.dataset['mantineColorScheme'] = chosen;

document.title = [deploymentName, environmentLabel].filter(Boolean).join(' · ');
if (deployment === 'workforce') {
  document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.setAttribute('href', workforceFavicon);
}

// The provider redirects to /dashboard; return to the page before the sign-in instead.
const returnPath = takeReturnPath();
if (returnPath !== undefined && location.pathname === '/dashboard') history.replaceState(null, '', returnPath);

/** In a separate task: evaluating the app is a long task, and the browser can respond in between. */
setTimeout(() => {
  const queryClient = createQueryClient();
  const router = createAppRouter(queryClient);
  // Load session, data and the page's chunk during the first render, not after it.
  void router.load();

  const root = createRoot(document.getElementById('root') as HTMLElement, {
    // `MissingPart` is handled where it occurs; any other caught error is a bug.
    onCaughtError: (error) => error instanceof MissingPart || reportError(error),
  });
  // A transition renders in slices, so that the browser stays responsive.
  startTransition(() =>
    root.render(
      <Theme>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </Theme>,
    ),
  );
});

function Theme({ children }: { children: ReactNode }) {
  const printing = useSyncExternalStore(subscribePrinting, () => isPrinting);
  return (
    <MantineProvider {...mantine} forceColorScheme={printing ? 'light' : undefined}>
      {children}
    </MantineProvider>
  );
}

let isPrinting = false;

/** Browsers differ in which of these events they send, and when. */
function subscribePrinting(onChange: () => void): () => void {
  const left = new AbortController();
  const { signal } = left;
  const set = (value: boolean): void => {
    isPrinting = value;
    onChange();
  };
  matchMedia('print').addEventListener('change', ({ matches }) => set(matches), { signal });
  addEventListener('beforeprint', () => set(true), { signal });
  addEventListener('afterprint', () => set(false), { signal });
  return () => left.abort();
}
