import assert from 'node:assert/strict';
import type { ReactNode } from 'react';
import { simulateBrowser } from '../support/dom.ts';
import { ofSuite } from '../support/of-suite.ts';

/** React may discard a rendered form before the operator sees it, so the draft must remain for the next render. */
describe('a draft stored during sign-in', () => {
  ofSuite(() => simulateBrowser('http://127.0.0.1:9/'));
  let framed: (content: ReactNode) => ReactNode;
  before(async () => {
    const { QueryClient, QueryClientProvider } = await import('@tanstack/react-query');
    const { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } = await import(
      '@tanstack/react-router'
    );
    const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });
    const { sessionQuery } = await import('../../client/api/session.ts');
    const client = new QueryClient();
    client.setQueryData(sessionQuery.queryKey, {
      user: { identityId: 'ada', email: 'ada@example.org', role: 'admin' },
    });
    framed = (content) => (
      <QueryClientProvider client={client}>
        <RouterContextProvider router={router as never}>{content}</RouterContextProvider>
      </QueryClientProvider>
    );
  });

  async function render(content: ReactNode, ...steps: (() => void)[]): Promise<void> {
    const { act } = await import('react');
    const { createRoot } = await import('react-dom/client');
    const root = createRoot(document.createElement('div'));
    await act(async () => root.render(content));
    for (const step of steps) await act(async () => step());
    await act(async () => root.unmount());
  }

  it('is restored in the form of its record and then deleted, even if React discards earlier renders', async () => {
    const { useRecordForm } = await import('../../client/record/record-form.tsx');
    const { saveDrafts } = await import('../../client/lib/sign-in.ts');
    const texts: string[] = [];
    const kind = {
      storedAs: 'drafts',
      draftOf: () => ({ text: '' }),
      same: (a: { text: string }, b: { text: string }) => a.text === b.text,
      withoutSecrets: (draft: { text: string }) => draft,
      problemsIn: () => undefined,
    };
    let type = (_: { text: string }): void => {};
    function Form() {
      const { draft, change } = useRecordForm<object, { text: string }>(kind, {
        of: 'new',
        start: null,
        save: async () => {},
      });
      type = change;
      texts.push(draft.text);
      return <p>{draft.text}</p>;
    }
    await render(framed(<Form />), () => type({ text: 'typed' }), saveDrafts);
    const { renderToString } = await import('react-dom/server');
    for (let renders = 0; renders < 2; renders += 1) assert.match(renderToString(framed(<Form />)), /typed/);
    assert.equal(sessionStorage.length, 1);
    await render(framed(<Form />));
    assert.equal(sessionStorage.length, 0);
    assert.equal(texts.at(-1), 'typed');
  });

  it('is discarded when another operator signs in or opens the form', async () => {
    const { saveDraft, storedDraft } = await import('../../client/lib/tab-storage.ts');
    const { arrivedSignedIn } = await import('../../client/lib/sign-in.ts');
    const ofAda = { operator: 'ada', of: 'a', base: null, draft: 'typed' };
    arrivedSignedIn('ada');
    saveDraft('things.draft', ofAda);
    arrivedSignedIn('ada');
    assert.equal(storedDraft('things.draft', { operator: 'ada', of: 'b' }), undefined, 'of another record');
    assert.equal(storedDraft('things.draft', ofAda)?.draft, 'typed');
    arrivedSignedIn('grace');
    assert.equal(sessionStorage.getItem('things.draft'), null);
    saveDraft('things.draft', ofAda);
    assert.equal(storedDraft('things.draft', { operator: 'grace', of: 'a' }), undefined);
    assert.equal(sessionStorage.getItem('things.draft'), null);
  });
});
