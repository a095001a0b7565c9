import assert from 'node:assert/strict';
import { pretendBrowser } from '../support/dom.ts';

describe('state that starts anew', () => {
  let browser: ReturnType<typeof pretendBrowser>;
  before(() => {
    browser = pretendBrowser('http://127.0.0.1:9/');
  });
  after(() => browser.close());

  it('follows its key, and keeps what is typed as soon as the new key is drawn', async () => {
    const { act, useLayoutEffect } = await import('react');
    const { createRoot } = await import('react-dom/client');
    const { useResettingState } = await import('../../client/ui/hooks/use-resetting-state.ts');
    const drawn: string[] = [];
    let type = (_text: string): void => {};
    function Field({ searched }: { searched: string }) {
      const [text, setText] = useResettingState(searched, searched);
      type = setText;
      drawn.push(text);
      return text;
    }
    /** Types before any effect of the same drawing runs. */
    function Operator({ text }: { text?: string }) {
      useLayoutEffect(() => {
        if (text !== undefined) type(text);
      }, [text]);
      return null;
    }
    const place = document.createElement('div');
    const root = createRoot(place);
    const draw = (searched: string, text?: string): Promise<void> =>
      act(async () =>
        root.render(
          <>
            <Field searched={searched} />
            <Operator text={text} />
          </>,
        ),
      );
    await draw('ada');
    assert.equal(place.textContent, 'ada');
    await act(() => type('adam'));
    assert.equal(place.textContent, 'adam');
    await draw('bob');
    assert.equal(place.textContent, 'bob');
    await draw('eve', 'evelyn');
    assert.equal(place.textContent, 'evelyn');
    assert.equal(drawn.filter((text) => text === 'adam').length, 1, 'nothing old is drawn under the new key');
    await act(() => root.unmount());
  });
});
