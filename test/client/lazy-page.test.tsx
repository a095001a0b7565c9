import assert from 'node:assert/strict';
import { pretendBrowser } from '../support/dom.ts';

describe('a page that arrives late', () => {
  let browser: ReturnType<typeof pretendBrowser>;
  before(() => {
    browser = pretendBrowser('http://127.0.0.1:9/');
    // React draws in its own time here.
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
  });
  after(() => browser.close());

  /** Imported late, since they need a browser when they are evaluated. */
  const parts = async () => ({
    ...(await import('react')),
    ...(await import('react-dom/client')),
    ...(await import('@tanstack/react-router')),
    ...(await import('../../client/ui/loading/lazy-part.tsx')),
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
