/** How many columns the grid has on this screen. */
export const columnsOf = (grid: HTMLElement): number => getComputedStyle(grid).gridTemplateColumns.split(' ').length;

/** From one cell to the next in pixels, the gap included. */
export function cellOf(grid: HTMLElement): { width: number; height: number } {
  const { columnGap, rowGap, gridAutoRows } = getComputedStyle(grid);
  const gap = Number.parseFloat(columnGap) || 0;
  return {
    width: (grid.clientWidth + gap) / columnsOf(grid),
    height: Number.parseFloat(gridAutoRows) + (Number.parseFloat(rowGap) || 0),
  };
}
