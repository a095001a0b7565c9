import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/**
 * Fails on a control that is neither 28 nor 36 pixels high, and on a dialog that is neither 448 nor 768 pixels wide.
 * Controls are buttons, links and fields with a border, a background or the theme's padding; rows of tables, tabs,
 * menus and the navigation have their own heights.
 */
export async function assertControlSizes(page: Page, what: string): Promise<void> {
  const others = await page.evaluate(() => {
    const bare = ['none', 'rgba(0, 0, 0, 0)'];
    const others: string[] = [];
    for (const element of document.querySelectorAll<HTMLElement>('button, a, select, input, [class*=-content]')) {
      const { width, height } = element.getBoundingClientRect();
      const { borderTopStyle, borderTopColor, backgroundColor, clipPath } = getComputedStyle(element);
      const isDialog = element.matches('.mantine-Modal-content, .mantine-Drawer-content');
      const isControl =
        element.matches('.mantine-Button-root, .mantine-ActionIcon-root, .mantine-CloseButton-root') ||
        (element.matches('button, a, select, input:not([type=checkbox], [type=radio])') &&
          ![borderTopStyle, borderTopColor].some((border) => bare.includes(border))) ||
        (element.matches('button, a') && !bare.includes(backgroundColor));
      const isApart =
        element.closest('tr, nav, [role=tablist], [role=menu], [role=listbox], [aria-hidden=true]') !== null;
      const isSeen = height > 1 && clipPath === 'none' && element.checkVisibility({ opacityProperty: true });
      const size = isDialog ? width : isControl && !isApart ? height : 28;
      if (isSeen && ![...(isDialog ? [448, 768] : [28, 36])].includes(Math.round(size)))
        others.push(`${Math.round(size)} px: ${element.outerHTML.slice(0, 200)}`);
    }
    return others;
  });
  assert.deepEqual(others, [], `${what} has sizes of its own`);
}
