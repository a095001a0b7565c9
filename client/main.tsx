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
import { remembered } from './lib/tab-storage.ts';
import { mantine } from './theme.ts';
import { MissingPart } from './ui/lazy-part.tsx';

// Mantine sets the colour scheme after the first render. Until then, the skeleton would follow the system's.
const savedScheme = localStorageColorSchemeManager().get('auto');
if (savedScheme !== 'auto') document.documentElement.dataset['mantineColorScheme'] = savedScheme;
document.documentElement.dataset['density'] = remembered('density');

document.title = [deploymentName, environmentLabel].filter(Boolean).join(' · ');
if (deployment === 'workforce') {
  document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.setAttribute('href', workforceFavicon);
}

// A sign-in always ends at /dashboard: go back to the page that the operator left to sign in.
const returnPath = takeReturnPath();
if (returnPath !== undefined && location.pathname === '/dashboard') history.replaceState(null, '', returnPath);

// Evaluating the scripts is already a long task. A new one lets the browser respond in between.
setTimeout(() => {
  const queryClient = createQueryClient();
  const router = createAppRouter(queryClient);
  // Load session, data and the page's chunk during the first render, not after it.
  void router.load();

  const root = createRoot(document.getElementById('root') as HTMLElement, {
    // A `MissingPart` is expected, and the operator can retry; any other caught error is a bug.
    onCaughtError: (error) => error instanceof MissingPart || reportError(error),
  });
  // A transition renders in slices, so the browser stays responsive.
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

/** Listens to all three events: browsers differ in which of them they fire, and when. */
function subscribePrinting(onChange: () => void): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const set = (value: boolean): void => {
    isPrinting = value;
    onChange();
  };
  matchMedia('print').addEventListener('change', ({ matches }) => set(matches), { signal });
  addEventListener('beforeprint', () => set(true), { signal });
  addEventListener('afterprint', () => set(false), { signal });
  return () => controller.abort();
}
