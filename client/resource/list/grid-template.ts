import type { Place } from './column.tsx';

/** A column at one screen width. */
export interface PlacedCell {
  name: string;
  /** The `grid-area` of its cells. */
  area: string;
  /** `own-line`: a separate line below all others. */
  place: Place | 'own-line';
}

const CHOOSE = 'choose';
const CHOOSE_WIDTH = '2.5rem';
const NOTHING = '.';

/** The `grid-template` of a row, beginning with its checkbox. A cell with nothing below it extends downwards. */
export function gridTemplate(cells: readonly PlacedCell[]): { template: string; lines: number } {
  const tracks = cells.flatMap(({ name, area, place }) =>
    typeof place === 'object' || place === 'hidden' || place === 'own-line' ? [] : [{ name, area, width: place }],
  );
  const below = cells.flatMap(({ area, place }) => (typeof place === 'object' ? [{ area, ...place }] : []));
  const lines = [tracks.map(({ area }) => area)];
  for (const line of [...new Set(below.map((cell) => cell.line))].sort((a, b) => a - b)) {
    const above = lines.at(-1) ?? [];
    const here = below.filter((cell) => cell.line === line);
    const across = here.find((cell) => cell.across);
    const from = tracks.findIndex(({ name }) => name === across?.under);
    lines.push(
      tracks.map(({ name }, track) =>
        across !== undefined && from !== -1 && track >= from
          ? across.area
          : (here.find(({ under }) => under === name)?.area ?? above[track] ?? NOTHING),
      ),
    );
  }
  const own = cells.filter(({ place }) => place === 'own-line');
  const areas = [
    ...lines.map((line) => [CHOOSE, ...line]),
    ...own.map(({ area }) => [NOTHING, area, ...tracks.slice(1).map(() => NOTHING)]),
  ];
  const widths = tracks.map(({ width }) => (width.endsWith('fr') ? `minmax(0, ${width})` : width));
  return {
    template: `${areas.map((line) => `"${line.join(' ')}"`).join(' ')} / ${CHOOSE_WIDTH} ${widths.join(' ')}`,
    lines: areas.length,
  };
}
