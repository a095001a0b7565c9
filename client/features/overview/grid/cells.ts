/** How many columns the grid has on this screen. */
export const columnsOf = (grid: HTMLElement): number => getComputedStyle(grid).gridTemplateColumns.split(' ').length;

/** Size of a cell in pixels, including the gap. */
export function cellOf(grid: HTMLElement): { width: number; height: number } {
  const { columnGap, rowGap, gridAutoRows } = getComputedStyle(grid);
  const gap = Number.parseFloat(columnGap) || 0;
  return {
    width: (grid.clientWidth + gap) / columnsOf(grid),
    height: Number.parseFloat(gridAutoRows) + (Number.parseFloat(rowGap) || 0),
  };
}
