import assert from 'node:assert/strict';
import type { TaggedLayout } from '../../client/api/overview.ts';
import { ConnectionError, RequestError } from '../../client/api/request.ts';
import type { StoredLayout } from '../../client/features/overview/arrangement.ts';
import { layoutSaver, type SaveState } from '../../client/features/overview/layout.ts';

const layout = (...hidden: string[]): StoredLayout => ({ widgets: [], hidden });
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** The service with one layout, which several tabs save to. @param drops whether entity tags are dropped on the way */
function service({ drops = false } = {}) {
  const tagOf = (version: number): TaggedLayout['tag'] => (drops ? undefined : `"${version}"`);
  let stored: TaggedLayout = { layout: null, tag: tagOf(0) };
  let saves = 0;
  const puts: StoredLayout[] = [];
  /** The response to the next PUT. */
  let isLost = false;
  let gate: Promise<void> = Promise.resolve();
  const tab = () => {
    const states: SaveState[] = [];
    const saver = layoutSaver(stored, {
      async put(layout, tag) {
        await gate;
        puts.push(layout);
        if (tag !== stored.tag) throw new RequestError({ status: 412, code: 'precondition_failed', message: '' });
        saves += 1;
        stored = { layout, tag: tagOf(saves) };
        if (isLost) {
          isLost = false;
          throw new ConnectionError(true, undefined);
        }
        return stored.tag;
      },
      find: async () => stored,
      onState: (state) => states.push(state),
      onStored: () => {},
    });
    return { saver, state: () => states.at(-1)?.kind };
  };
  return {
    tab,
    puts,
    stored: () => stored.layout,
    lose: () => {
      isLost = true;
    },
    hold() {
      let release = (): void => {};
      gate = new Promise((resolve) => {
        release = resolve;
      });
      return () => release();
    },
  };
}

describe('saving a layout', () => {
  it('sends one request at a time, ends with the latest change, and skips those in between', async () => {
    const { tab, puts, stored, hold } = service();
    const { saver, state } = tab();
    const release = hold();
    for (const id of ['a', 'b', 'c', 'd']) saver.save(layout(id));
    release();
    await settled();
    assert.deepEqual(puts, [layout('a'), layout('d')]);
    assert.deepEqual(stored(), layout('d'));
    assert.equal(state(), 'saved');
  });

  for (const drops of [false, true])
    it(`overwrites nothing that another tab has saved ${drops ? '(without entity tags) ' : ''}unless the operator says so`, async () => {
      const { tab, stored } = service({ drops });
      const [first, second] = [tab(), tab()];
      for (const words of ['before', 'first']) {
        first.saver.save(layout(words));
        await settled();
      }
      second.saver.save(layout('second'));
      await settled();
      assert.deepEqual([first.state(), second.state()], ['saved', 'conflict']);
      assert.deepEqual(stored(), layout('first'));
      second.saver.save(layout('second again'));
      await settled();
      assert.deepEqual(stored(), layout('first'), 'nothing is sent before the operator has chosen');
      second.saver.keepMine();
      await settled();
      assert.deepEqual([second.state(), stored()], ['saved', layout('second again')]);
    });

  it('does not mistake its own save for somebody else’s when the response was lost', async () => {
    const { tab, lose, stored } = service();
    const { saver, state } = tab();
    lose();
    saver.save(layout('a'));
    await settled();
    assert.equal(state(), 'failed');
    saver.retry();
    await settled();
    assert.equal(state(), 'saved');
    saver.save(layout('b'));
    await settled();
    assert.deepEqual([state(), stored()], ['saved', layout('b')]);
  });
});
