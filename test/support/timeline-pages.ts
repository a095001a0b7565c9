import type { Locator, Page } from 'playwright-core';

export const lines = (page: Page): Locator => page.locator('[data-timeline] li');

/** The kind of each line. */
export const kindsOf = (page: Page): Promise<(string | null)[]> =>
  lines(page)
    .locator('[data-kind]')
    .evaluateAll((marks) => marks.map((mark) => mark.getAttribute('data-kind')));

/** When each line of a known time was, in milliseconds. */
export const timesOf = (page: Page): Promise<number[]> =>
  lines(page)
    .locator('[data-line-time] time')
    .evaluateAll((times) => times.map((time) => Date.parse(time.getAttribute('datetime') ?? '')));

/** One of the buttons that choose a kind. */
export const choice = (page: Page, name: string): Locator =>
  page.getByRole('group', { name: 'Show' }).getByRole('button', { name, exact: true });

/** Says how far back it has been read, once it has. */
export const reach = (page: Page): Locator => page.getByRole('status').filter({ hasText: /^\d+ lines?/ });
