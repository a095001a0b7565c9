import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { pretendBrowser } from '../support/dom.ts';

const TOTAL = 250;

/** Of rows of a list, of which each names the version that it is drawn with. */
describe('rows that are replaced in steps', () => {
  let browser: ReturnType<typeof pretendBrowser>;
  before(() => {
    browser = pretendBrowser('http://127.0.0.1:9/');
  });
  after(() => browser.close());

  it('have the new version first where the list begins, and in the end everywhere, however often it changes', async () => {
    const { act } = await import('react');
    const { createRoot } = await import('react-dom/client');
    const { useReplacing } = await import('../../client/ui/hooks/use-growing.ts');
    let drawn: string[][] = [];
    function Rows({ version, total }: { version: string; total: number }) {
      const versionOf = useReplacing(version, total, (before) => before === 'small' || version === 'small');
      const rows = Array.from({ length: total }, (_, index) => versionOf(index));
      drawn.push(rows);
      return rows.join(' ');
    }
    const root = createRoot(document.createElement('div'));
    const draw = async (version: string, total = TOTAL): Promise<void> => {
      drawn = [];
      await act(async () => root.render(<Rows version={version} total={total} />));
    };
    const latest = (): string[] => drawn.at(-1) ?? [];
    const until = async (isSo: (rows: string[]) => boolean): Promise<void> => {
      while (!isSo(latest())) await act(() => setTimeout(20));
    };
    const first = (version: string): string[] => drawn.find((rows) => rows.includes(version)) ?? assert.fail(version);

    await draw('a');
    assert.deepEqual(drawn, [Array(TOTAL).fill('a')]);
    await draw('b');
    assert.ok(first('b').lastIndexOf('b') < 20);
    await until((rows) => rows.lastIndexOf('b') > 40);
    const reached = latest();
    assert.ok(reached.includes('a'));
    // Changed again meanwhile: no row goes back, none leaps ahead.
    await draw('c');
    assert.deepEqual(
      first('c').filter((row, index) => row !== 'c' && row !== reached[index]),
      [],
    );
    await until((rows) => rows.every((row) => row === 'c'));
    await draw('c', TOTAL + 50);
    assert.deepEqual(latest(), Array(TOTAL + 50).fill('c'));
    await draw('d', 3);
    assert.deepEqual(latest(), Array(3).fill('d'));
    await draw('e');
    await draw('small');
    assert.deepEqual(drawn[0], Array(TOTAL).fill('small'));
    await act(async () => root.unmount());
  });
});
