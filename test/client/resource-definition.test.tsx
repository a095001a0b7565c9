import assert from 'node:assert/strict';
import type { Window } from 'happy-dom';
import type { Root } from 'react-dom/client';
import { pretendBrowser } from '../support/dom.ts';
import { eventually } from '../support/eventually.ts';

describe('a resource with nothing but a definition', () => {
  let window: Window;
  let closeBrowser: () => Promise<void>;
  let root: Root;
  let giveBack: () => void;
  let go: (to: { to: string; search?: object }) => void;
  const text = (): string => window.document.body.textContent ?? '';
  const find = (selector: string, label = ''): { click: () => void } =>
    [...window.document.querySelectorAll(selector)].find((element) => element.textContent?.includes(label)) as never;

  before(async () => {
    ({ window, close: closeBrowser } = pretendBrowser('http://127.0.0.1:9/planets'));
    const { createRoot } = await import('react-dom/client');
    const { MantineProvider } = await import('@mantine/core');
    const { QueryClientProvider } = await import('@tanstack/react-query');
    const { createMemoryHistory, createRouter, Outlet, RouterProvider } = await import('@tanstack/react-router');
    const { createQueryClient } = await import('../../client/app/query-client.ts');
    const { sessionQuery } = await import('../../client/api/session.ts');
    const { resourceRoutes, root: rootRoute, signedIn } = await import('../../client/app/resource-routes.ts');
    const { lazyPage } = await import('../../client/ui/lazy-part.tsx');
    const { PLANETS } = await import('./made-up-resource/planet-resource.ts');
    const queryClient = createQueryClient();
    queryClient.setQueryData(sessionQuery.queryKey, {
      user: { identityId: '1', email: 'ada@example.org', role: 'admin' },
    } as never);
    // Nothing here is wrapped in `act`: what is shown is waited for.
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
    // The pages without the frame around them. The app's routes are as before for other tests in this process.
    const { component: frame } = signedIn.options;
    const [ofRoot, ofSignedIn] = [rootRoute.children, signedIn.children];
    signedIn.update({ component: Outlet });
    giveBack = () => {
      signedIn.update({ component: frame });
      rootRoute.children = ofRoot;
      signedIn.children = ofSignedIn;
    };
    const planets = resourceRoutes(
      PLANETS,
      lazyPage(() => import('./made-up-resource/planets-page.tsx'), 'PlanetsPage'),
      lazyPage(() => import('./made-up-resource/planet-page.tsx'), 'PlanetPage'),
      ['/', '/json'],
    );
    const router = createRouter({
      routeTree: rootRoute.addChildren([
        signedIn.addChildren([planets.list, planets.record.addChildren(planets.tabs)]),
      ]),
      context: { queryClient, pages: [PLANETS] },
      history: createMemoryHistory({ initialEntries: ['/planets'] }),
    });
    go = (to) => void router.navigate(to as never);
    const holder = window.document.createElement('div');
    window.document.body.append(holder);
    root = createRoot(holder as unknown as HTMLElement);
    root.render(
      <MantineProvider env="test">
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router as never} />
        </QueryClientProvider>
      </MantineProvider>,
    );
  });
  after(async () => {
    giveBack();
    // Waits for all that React has left to do.
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
    const { act } = await import('react');
    await act(async () => root.unmount());
    await closeBrowser();
  });

  it('has a list with its search, and a table of its columns', async () => {
    await eventually(() => window.document.querySelectorAll('tr[data-row]').length, 2);
    await eventually(text, /Page 1, rows 1–2 of 2/);
    const rows = [...window.document.querySelectorAll('tr')];
    assert.equal(rows.length, 3);
    for (const row of rows) {
      const [, name, moons] = row.children as unknown as HTMLElement[];
      assert.deepEqual([name?.style.flexGrow, moons?.style.width], ['2', '6rem']);
    }
    assert.equal(window.document.querySelector('tr[data-row="0"] a')?.getAttribute('href'), '/planets/p4');
    go({ to: '/planets', search: { name: 'Vulcan' } });
    await eventually(() => text().includes('Nothing is called Vulcan'), true);
    find('button', 'Show all planets').click();
    await eventually(() => window.document.querySelectorAll('tr[data-row]').length, 2);
  });

  it('has a record page with tabs, and a page for unknown URLs', async () => {
    find('tr[data-row="1"] a').click();
    await eventually(() => text().includes('It has 16 moons.'), true);
    find('nav a', 'JSON').click();
    await eventually(() => text().includes('"moons": 16'), true);
    go({ to: '/planets/p9' });
    await eventually(() => text().includes('No planet has this ID.'), true);
  });

  it('has a bulk action, whose dialog loads on the first click', async () => {
    go({ to: '/planets' });
    await eventually(() => window.document.querySelectorAll('tr[data-row]').length, 2);
    find('tr[data-row="0"] input').click();
    await eventually(() => text().includes('1 selected on this page'), true);
    find('button', 'Leave').click();
    // Compiled when it is asked for, which a busy machine takes its time for.
    await eventually(() => text().includes('Nobody comes back.'), true, undefined, 30_000);
    find('button', 'Leave 1').click();
    await eventually(() => window.document.querySelectorAll('tr[data-row]').length, 1);
  });
});
