import type { Locator, Page } from 'playwright-core';
import type { Visit } from './browser.ts';
import { eventually } from './eventually.ts';

type PageState = (page: Page, visit: Visit) => Promise<unknown>;

/** A page to be looked at, and its other states. */
export interface PageRow {
  /** As the router has it; `$id` becomes the first of its kind. */
  page: string;
  query?: string;
  role?: 'admin' | 'viewer';
  /** Before it is opened. */
  given?: (visit: Visit) => Promise<unknown>;
  /** Dialogs and the like, each opened from the one before; an open dialog or menu is closed by Escape first. */
  states?: Readonly<Record<string, PageState>>;
  /** A failure takes less room than what the page left for it. */
  moves?: boolean;
}

/** Opens the page's other states one after another. */
export async function inStates(visit: Visit, { states = {} }: PageRow, look: (state: string) => Promise<void>) {
  const { page } = visit;
  for (const [state, open] of Object.entries(states)) {
    const onTop = page.locator('[role=dialog]:visible, [role=menu]:visible, dialog[open]');
    if ((await onTop.count()) > 0) await page.keyboard.press('Escape');
    await eventually(() => onTop.count(), 0);
    await open(page, visit);
    await look(state);
  }
}

export const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('button', { name }).first().click();

export const dialogOf = (page: Page): Locator => page.getByRole('dialog');

/** A dialog, by its button; it is there with a field or a button of its own. */
export const dialog =
  (button: string | RegExp, role: 'textbox' | 'button', name?: string): PageState =>
  async (page) => {
    await press(page, button);
    await dialogOf(page).getByRole(role, { name }).first().waitFor();
  };

/** The same by a menu. */
export const dialogOfMenu =
  (entry: string | RegExp): PageState =>
  async (page) => {
    await press(page, 'More actions');
    await page.getByRole('menuitem', { name: entry }).click();
    await dialogOf(page).getByRole('button', { name: 'Cancel' }).waitFor();
  };

/** A failure of the service, with a request's id. */
export const fails = ({ context, expect }: Visit, path: string): Promise<unknown> => {
  expect(500, path);
  return context.route(
    (url) => url.pathname === path,
    (route) =>
      route.fulfill({
        status: 500,
        headers: { 'x-request-id': 'r-17' },
        json: { error: 'internal_error', message: 'Something went wrong.' },
      }),
  );
};
