import type { Locator, Page } from 'playwright-core';

export const lines = (page: Page): Locator => page.locator('[data-timeline] li');
