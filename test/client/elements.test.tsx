import assert from 'node:assert/strict';
import type { ReactNode } from 'react';
import { pretendBrowser } from '../support/dom.ts';

/** What every page is made of: a mistake here is one on every page. */
describe('the elements of the app', () => {
  let browser: ReturnType<typeof pretendBrowser>;
  let close: (() => Promise<void>) | undefined;
  before(() => {
    browser = pretendBrowser('http://127.0.0.1:9/');
  });
  afterEach(() => close?.());
  after(() => browser.close());

  async function render(content: ReactNode): Promise<HTMLElement> {
    const { act } = await import('react');
    const { createRoot } = await import('react-dom/client');
    const place = document.createElement('div');
    document.body.append(place);
    const root = createRoot(place);
    await act(async () => root.render(content));
    close = async () => {
      await act(async () => root.unmount());
      place.remove();
      close = undefined;
    };
    return place;
  }
  const elements = async () => ({
    ...(await import('../../client/ui/elements/button.tsx')),
    ...(await import('../../client/ui/elements/menu.tsx')),
  });
  const only = <E extends Element>(place: Element, selector: string): E => {
    const found = place.querySelectorAll<E>(selector);
    assert.equal(found.length, 1, selector);
    return found[0] ?? assert.fail(selector);
  };

  it('are buttons that submit nothing unless they are for it, and take no click while they are busy', async () => {
    const { Button, ActionIcon, CloseButton } = await elements();
    let clicks = 0;
    const click = (): void => {
      clicks += 1;
    };
    const place = await render(
      <>
        <Button onClick={click}>plain</Button>
        <Button type="submit">submit</Button>
        <Button loading onClick={click}>
          busy
        </Button>
        <ActionIcon aria-label="icon" loading onClick={click} />
        <CloseButton aria-label="close" onClick={click} />
      </>,
    );
    const buttons = [...place.querySelectorAll('button')];
    assert.deepEqual(
      buttons.map(({ type, disabled }) => [type, disabled]),
      [
        ['button', false],
        ['submit', false],
        ['button', true],
        ['button', true],
        ['button', false],
      ],
    );
    for (const button of buttons) button.click();
    assert.equal(clicks, 2);
    assert.equal(buttons[2]?.textContent, 'busy');
  });

  it('open a menu that keys walk through, and that gives the focus back', async () => {
    const { act } = await import('react');
    const { MenuButton } = await elements();
    const chosen: string[] = [];
    const entries = ['Copy', 'Move', 'Delete'].map((label) => ({
      label,
      icon: null,
      final: label === 'Delete',
      choose: () => void chosen.push(label),
    }));
    const place = await render(<MenuButton label="More" icon="…" entries={entries} />);
    const button = only<HTMLButtonElement>(place, 'button[aria-haspopup=menu]');
    const press = (key: string): Promise<void> =>
      act(async () => {
        const event = new browser.window.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
        document.activeElement?.dispatchEvent(event as unknown as Event);
      });
    const focused = (): string | null | undefined => document.activeElement?.textContent;

    button.focus();
    await press('ArrowUp');
    assert.equal(button.getAttribute('aria-expanded'), 'true');
    assert.equal(only(place, '[role=menu]').getAttribute('aria-labelledby'), button.id);
    assert.equal(focused(), 'Delete');
    const visited: (string | null | undefined)[] = [];
    for (const key of ['ArrowDown', 'ArrowDown', 'End', 'ArrowDown', 'ArrowUp', 'Home']) {
      await press(key);
      visited.push(focused());
    }
    assert.deepEqual(visited, ['Copy', 'Move', 'Delete', 'Copy', 'Delete', 'Copy']);
    await press('Escape');
    assert.equal(place.querySelector('[role=menu]'), null);
    assert.equal(document.activeElement, button);

    await act(async () => button.click());
    assert.equal(focused(), 'Copy');
    await act(
      async () =>
        void document.body.dispatchEvent(
          new browser.window.Event('pointerdown', { bubbles: true }) as unknown as Event,
        ),
    );
    assert.equal(place.querySelector('[role=menu]'), null, 'a press elsewhere closes it');

    await act(async () => button.click());
    const [, move] = place.querySelectorAll<HTMLElement>('[role=menuitem]');
    await act(async () => move?.click());
    assert.deepEqual(chosen, ['Move']);
    assert.equal(place.querySelector('[role=menu]'), null);
    assert.equal(document.activeElement, button);
  });
});
