import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/**
 * Fails on a control that is neither 28 nor 36 pixels high, and on a dialog that is neither 448 nor 768 pixels wide.
 * Controls are the theme's buttons, and other buttons, links and fields with a border or a background; not those in rows
 * of tables, tabs, menus and the navigation.
 */
export async function assertControlSizes(page: Page, what: string): Promise<void> {
  const others = await page.evaluate(() => {
    const bare = ['none', 'rgba(0, 0, 0, 0)'];
    const themed = '.mantine-Button-root, .mantine-ActionIcon-root, .mantine-CloseButton-root';
    const controls = [...document.querySelectorAll('button, a, select, input:not([type=checkbox], [type=radio])')]
      .filter((element) => {
        const { borderTopStyle, borderTopColor, backgroundColor } = getComputedStyle(element);
        const hasBorder = !bare.includes(borderTopStyle) && !bare.includes(borderTopColor);
        return element.matches(themed) || hasBorder || !bare.includes(backgroundColor);
      })
      .filter(
        (element) => !element.closest('tr, nav, [role=tablist], [role=menu], [role=listbox], [aria-hidden=true]'),
      );
    const dialogs = [...document.querySelectorAll('.mantine-Modal-content, .mantine-Drawer-content')];
    const sizes = [
      ...controls.map((element) => ({ element, size: element.getBoundingClientRect().height, right: [28, 36] })),
      ...dialogs.map((element) => ({ element, size: element.getBoundingClientRect().width, right: [448, 768] })),
    ];
    return sizes
      .filter(({ element }) => element.checkVisibility() && getComputedStyle(element).clipPath === 'none')
      .filter(({ size, right }) => size > 1 && !right.includes(Math.round(size)))
      .map(
        ({ element, size }) =>
          `${size} px: ${element.ariaLabel ?? (element.textContent || element.outerHTML)} (${element.className})`,
      );
  });
  assert.deepEqual(others, [], `${what} has sizes of its own`);
}
