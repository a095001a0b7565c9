import assert from 'node:assert/strict';
import type { ReactNode } from 'react';
import { pretendBrowser } from '../support/dom.ts';

/**
 * React may render a form, discard that and render it again before anything is shown: the draft must still be there.
 */
describe('a draft that was kept over a sign-in', () => {
  let browser: ReturnType<typeof pretendBrowser>;
  let framed: (content: ReactNode) => ReactNode;
  before(async () => {
    browser = pretendBrowser('http://127.0.0.1:9/');
    const { QueryClient, QueryClientProvider } = await import('@tanstack/react-query');
    const { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } = await import(
      '@tanstack/react-router'
    );
    const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });
    framed = (content) => (
      <QueryClientProvider client={new QueryClient()}>
        <RouterContextProvider router={router as never}>{content}</RouterContextProvider>
      </QueryClientProvider>
    );
  });
  after(() => browser.close());

  async function shown(content: ReactNode): Promise<void> {
    const { act } = await import('react');
    const { createRoot } = await import('react-dom/client');
    const root = createRoot(document.createElement('div'));
    await act(async () => root.render(content));
    await act(async () => root.unmount());
  }
  async function drawTwiceThenShow(form: ReactNode, texts: string[]): Promise<void> {
    const { renderToString } = await import('react-dom/server');
    assert.match(renderToString(framed(form)), /typed/);
    assert.match(renderToString(framed(form)), /typed/);
    assert.equal(sessionStorage.length, 1);
    await shown(framed(form));
    assert.equal(sessionStorage.length, 0);
    assert.deepEqual(texts.slice(-1), ['typed']);
  }

  it('comes back to the form of a setting, however often it is drawn, and then only once', async () => {
    const { useSettingForm } = await import('../../client/features/settings/use-setting-form.ts');
    const { keepDraft } = await import('../../client/features/settings/setting-draft.ts');
    const texts: string[] = [];
    function Form() {
      const unused = () => {};
      const props = { setting: undefined, newKey: '', onUnsaved: unused, onSaved: unused };
      const { draft } = useSettingForm(props);
      texts.push(draft.value);
      return <p>{draft.value}</p>;
    }
    keepDraft(sessionStorage, undefined, { key: 'a.key', value: 'typed', encrypted: false, category: '' });
    await drawTwiceThenShow(<Form />, texts);
  });

  it('comes back to the form of an identity or a client, however often it is drawn, and then only once', async () => {
    const { useRecordForm } = await import('../../client/resource/form/use-record-form.ts');
    const { keepDraft } = await import('../../client/resource/form/kept-draft.ts');
    const texts: string[] = [];
    const kind = {
      keptAs: 'drafts',
      draftOf: () => ({ text: '' }),
      same: (a: { text: string }, b: { text: string }) => a.text === b.text,
      keepable: (draft: { text: string }) => draft,
      problemsIn: () => undefined,
    };
    function Form() {
      const { draft } = useRecordForm<object, { text: string }>(kind, 'new', null);
      texts.push(draft.text);
      return <p>{draft.text}</p>;
    }
    keepDraft('drafts', { of: 'new', base: null, draft: { text: 'typed' } });
    await drawTwiceThenShow(<Form />, texts);
  });
});
