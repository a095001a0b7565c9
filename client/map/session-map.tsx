import type { CSSProperties } from 'react';
import type { MapPoint } from '../../shared/geo.ts';
import { counted } from '../format/counted.ts';
import { formatLeast } from '../format/sample.ts';
import { isSamePlace } from './same-place.ts';
import classes from './session-map.module.css';
import { useRovingFocus } from './use-roving-focus.ts';
import { landPath, MAP_HEIGHT, MAP_WIDTH, onMap } from './world.ts';

/** Diameters in pixels at any map size: the smallest can still be clicked, the largest hides no continent. */
const SMALLEST = 10;
const LARGEST = 44;

/**
 * A world map from the bundle, with a circle for each place where sessions were started; a circle's area is the number
 * of sessions. One tab stop: arrow keys go from the largest circle to the smallest. It fills its container.
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
  return (
    <div className={classes.room}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form */}
      <div
        ref={roving.container}
        role="group"
        className={classes.map}
        style={{ '--ratio': MAP_WIDTH / MAP_HEIGHT } as CSSProperties}
        aria-label="Map of places, the one with most sessions first"
        onKeyDown={roving.onKeyDown}
      >
        <svg className={classes.land} viewBox={`0 0 ${MAP_WIDTH} ${MAP_HEIGHT}`} aria-hidden>
          <path d={landPath} />
        </svg>
        {points.map((point, index) => {
          const { left, top } = onMap(point);
          const isSelected = selected !== undefined && isSamePlace(selected, point);
          const diameter = SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(point.count / most);
          const words = `${point.label}: ${formatLeast(isLeast, counted(point.count, 'session', 'sessions'))}`;
          return (
            <button
              key={`${point.lat} ${point.lng} ${point.label}`}
              type="button"
              className={classes.circle}
              style={{ '--left': left, '--top': top, '--size': `${diameter}px` } as CSSProperties}
              tabIndex={index === roving.current ? 0 : -1}
              aria-label={words}
              aria-pressed={isSelected}
              title={words}
              onFocus={() => roving.setCurrent(index)}
              onClick={() => onSelect(isSelected ? undefined : point)}
            />
          );
        })}
      </div>
    </div>
  );
}
