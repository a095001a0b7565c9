import { VisuallyHidden } from '@mantine/core';
import type { CSSProperties, KeyboardEvent } from 'react';
import type { MapPoint } from '../../shared/locations.ts';
import { counted } from '../format/counted.ts';
import { formatLeast } from '../format/sample.ts';
import { isSamePlace } from './same-place.ts';
import classes from './session-map.module.css';
import { useMapView } from './use-map-view.ts';
import { useRovingFocus } from './use-roving-focus.ts';
import { landPath, MAP_HEIGHT, MAP_WIDTH, onMap } from './world.ts';
import { ZoomButtons } from './zoom-buttons.tsx';

/** Diameters in pixels at any map size: the smallest can still be clicked, the largest hides no continent. */
const SMALLEST = 10;
const LARGEST = 44;

/**
 * A world map from the bundle, with a circle for each place where sessions were started; a circle's area is the number
 * of sessions. One tab stop: arrow keys go from the largest circle to the smallest. It can be enlarged, where places are
 * one blot: by buttons, and by `+`, `-` and `0`; arrows move it from these buttons, or with Shift. The circles keep their
 * size. It fills its container.
 * @param points largest first
 * @param isLeast whether the counts are lower bounds
 * @param onSelect a circle was clicked; clicking the selected one deselects it
 */
export function SessionMap(props: {
  points: readonly MapPoint[];
  isLeast: boolean;
  selected?: MapPoint | undefined;
  onSelect: (point: MapPoint | undefined) => void;
}) {
  const { points, isLeast, selected, onSelect } = props;
  const most = Math.max(1, ...points.map(({ count }) => count));
  const roving = useRovingFocus(points.length);
  const spots = points.map(onMap);
  const goal = spots[selected === undefined ? 0 : points.findIndex((point) => isSamePlace(selected, point))];
  const view = useMapView(goal);
  const { part } = view;

  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, shiftKey, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const pans = (target as Element).closest('[data-pans]') !== null;
    const focused = pans ? undefined : spots[roving.current];
    if (key === '+' || key === '=') view.enlarge(focused);
    else if (key === '-') view.reduce();
    else if (key === '0') view.showAll();
    else if ((!pans && !shiftKey) || !view.pan(key)) {
      if (!pans) roving.onKeyDown(event);
      return;
    }
    event.preventDefault();
  };
  return (
    <div className={classes.room}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form */}
      <div
        role="group"
        className={classes.map}
        style={{ '--ratio': MAP_WIDTH / MAP_HEIGHT } as CSSProperties}
        data-enlarged={!view.isWhole || undefined}
        aria-label="Map of places, the one with most sessions first"
        onKeyDown={onKeyDown}
      >
        <div ref={roving.container}>
          <svg className={classes.land} viewBox={viewBoxOf(part)} aria-hidden {...view.drag}>
            <path d={landPath} />
          </svg>
          {points.map((point, index) => {
            const { left, top } = spots[index] ?? onMap(point);
            const isSelected = selected !== undefined && isSamePlace(selected, point);
            const diameter = SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(point.count / most);
            const words = `${point.label}: ${formatLeast(isLeast, counted(point.count, 'session', 'sessions'))}`;
            return (
              <button
                key={`${point.lat} ${point.lng} ${point.label}`}
                type="button"
                data-printed
                className={classes.circle}
                style={
                  {
                    '--left': (left - part.left) / part.size,
                    '--top': (top - part.top) / part.size,
                    '--size': `${diameter}px`,
                  } as CSSProperties
                }
                tabIndex={index === roving.current ? 0 : -1}
                aria-label={words}
                aria-pressed={isSelected}
                title={words}
                onFocus={() => {
                  roving.setCurrent(index);
                  view.show({ left, top });
                }}
                onClick={() => onSelect(isSelected ? undefined : point)}
              />
            );
          })}
        </div>
        <ZoomButtons view={view} />
        <VisuallyHidden role="status">{view.isWhole ? '' : `Enlarged ${view.zoom} times`}</VisuallyHidden>
      </div>
    </div>
  );
}

const viewBoxOf = ({ left, top, size }: { left: number; top: number; size: number }): string =>
  [left * MAP_WIDTH, top * MAP_HEIGHT, size * MAP_WIDTH, size * MAP_HEIGHT].join(' ');
