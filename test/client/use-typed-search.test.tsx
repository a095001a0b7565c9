import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { simulateBrowser } from '../support/dom.ts';
import { ofSuite } from '../support/of-suite.ts';

describe('a search while typing', () => {
  ofSuite(() => simulateBrowser('http://127.0.0.1:9/'));
  let act: typeof import('react').act;
  let render: (searched: string) => Promise<void>;
  let field: { text: string; type: (text: string) => void; searchNow: (text: string) => void };
  let searches: [text: string, typing: boolean][];
  let close: () => Promise<void>;

  beforeEach(async () => {
    const react = await import('react');
    const { createRoot } = await import('react-dom/client');
    const { useTypedSearch } = await import('../../client/list/search.tsx');
    ({ act } = react);
    searches = [];
    function Field({ searched }: { searched: string }) {
      const [text, type, searchNow] = useTypedSearch(
        searched,
        (query, typing) => searches.push([query, typing]),
        (query) => query.startsWith('id:'),
      );
      field = { text, type, searchNow };
      return text;
    }
    const root = createRoot(document.createElement('div'));
    render = (searched) => act(async () => root.render(<Field searched={searched} />));
    close = () => act(async () => root.unmount());
    mock.timers.enable({ apis: ['setTimeout'] });
    await render('');
  });
  afterEach(async () => {
    await close();
    mock.timers.reset();
  });

  const type = (text: string): Promise<void> => act(async () => field.type(text));
  const compose = (event: string) => act(async () => void dispatchEvent(new CompositionEvent(event)));
  const pass = (ms: number): Promise<void> => act(async () => mock.timers.tick(ms));

  it('starts 400 ms after the last keystroke or composition if the text has at least three characters or is empty', async () => {
    await type('ad');
    await pass(5_000);
    await type('ada');
    await pass(399);
    await type('adam ');
    await pass(399);
    assert.deepEqual(searches, []);
    await pass(1);
    assert.deepEqual(searches, [['adam', true]]);
    await render('adam');
    assert.equal(field.text, 'adam ');
    await type('');
    await pass(400);
    assert.deepEqual(searches.at(-1), ['', true]);
    await compose('compositionstart');
    await type('たなか');
    await pass(5_000);
    assert.equal(searches.length, 2);
    await compose('compositionend');
    await pass(400);
    assert.deepEqual(searches.at(-1), ['たなか', true]);
  });

  it('starts immediately on request, and is not repeated after the delay', async () => {
    await type('ad');
    await act(async () => field.searchNow(field.text));
    await pass(5_000);
    assert.deepEqual(searches, [['ad', false]]);
  });

  it('preserves newer text when the URL changes to an earlier search, and adopts the text of the URL on navigation', async () => {
    await type('ada');
    await pass(400);
    await type('adam');
    await render('ada');
    assert.equal(field.text, 'adam');
    await pass(400);
    await render('adam');
    assert.deepEqual(searches, [
      ['ada', true],
      ['adam', true],
    ]);
    await render('eve');
    assert.equal(field.text, 'eve');
    await render('adam');
    assert.equal(field.text, 'adam');
    await pass(5_000);
    assert.equal(searches.length, 2);
  });
});
