import assert from 'node:assert/strict';
import { pretendBrowser } from '../support/dom.ts';

describe('a page that arrives late', () => {
  let browser: ReturnType<typeof pretendBrowser>;
  before(() => {
    browser = pretendBrowser('http://127.0.0.1:9/');
  });
  after(() => browser.close());

  /** They look for the browser when they are loaded. */
  const parts = async () => ({
    ...(await import('react')),
    ...(await import('react-dom/client')),
    ...(await import('@tanstack/react-router')),
    ...(await import('../../client/ui/lazy-part.tsx')),
  });

  it('is drawn while its skeleton stands if it is the first; later ones stand there at once', async () => {
    const {
      act,
      createRoot,
      createRootRoute,
      createRouter,
      RouterContextProvider,
      lazyPage,
      useDeferredValue: deferred,
    } = await parts();
    const drawn: string[] = [];
    const component = (name: string) => () => {
      drawn.push(name);
      return <h1>{name}</h1>;
    };
    const page = (name: string) => lazyPage(() => Promise.resolve({ Page: component(name) }), 'Page');
    const router = createRouter({
      routeTree: createRootRoute(),
      defaultPendingComponent: component('skeleton'),
    });
    /** As the session's gate: what stands around a first page is deferred itself. */
    const Frame = ({ children }: { children: React.ReactNode }) => deferred(true, false) && children;
    const place = document.createElement('div');
    const root = createRoot(place);
    const show = async (Page: ReturnType<typeof page>): Promise<void> => {
      drawn.length = 0;
      await Page.preload?.();
      await act(async () =>
        root.render(
          <RouterContextProvider router={router as never}>
            <Frame>
              <Page />
            </Frame>
          </RouterContextProvider>,
        ),
      );
    };
    await show(page('first'));
    assert.deepEqual(drawn, ['skeleton', 'first']);
    assert.equal(place.textContent, 'first');
    await show(page('second'));
    assert.deepEqual(drawn, ['second']);
    await act(async () => root.unmount());
  });

  it('is drawn without a fault if it arrives while React draws the frame around it', async () => {
    const { startTransition, createRoot, createRootRoute, createRouter, RouterContextProvider, lazyPage } =
      await parts();
    const Page = lazyPage(() => Promise.resolve({ Page: () => <h1>there</h1> }), 'Page');
    const router = createRouter({ routeTree: createRootRoute(), defaultPendingComponent: () => <p>wait</p> });
    const place = document.createElement('div');
    const faults: unknown[] = [];
    const root = createRoot(place, { onRecoverableError: (error) => void faults.push(error) });
    startTransition(() =>
      root.render(
        <RouterContextProvider router={router as never}>
          <Page />
        </RouterContextProvider>,
      ),
    );
    for (let time = 0; time < 200 && place.textContent !== 'there'; time += 1)
      await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(place.textContent, 'there');
    assert.deepEqual(faults, []);
    root.unmount();
  });
});
