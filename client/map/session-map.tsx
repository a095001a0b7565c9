import { Anchor, Group, VisuallyHidden } from '@mantine/core';
import { type CSSProperties, type KeyboardEvent, useRef, useState } from 'react';
import type { MapPoint } from '../../shared/locations.ts';
import { counted, formatLeast } from '../lib/format-count.ts';
import { isSamePlace } from '../lib/session-labels.ts';
import { IconButton } from '../ui/buttons.tsx';
import { landPath, MAP_HEIGHT, MAP_WIDTH, onMap, useMapView } from './map-view.ts';
import classes from './session-map.module.css';

/** Diameters in pixels, at any size of the map: large enough to see, too small to hide a continent. */
const SMALLEST = 10;
const LARGEST = 44;

/**
 * A world map of session locations; a circle's area is proportional to its number of sessions. The circles are one tab
 * stop: arrow keys move from the largest to the smallest. Buttons and `+`, `-` and `0` zoom. Arrow keys move the map if
 * pressed on a zoom button or with Shift. Fills its container.
 * @param points largest first
 * @param isLeast whether the counts are lower bounds
 * @param onSelect a circle was clicked; clicking the selected circle deselects it
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
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (key === '+' || key === '=') view.enlarge(spots[roving.current]);
    else if (key === '-') view.reduce();
    else if (key === '0') view.showAll();
    else if (!view.pan(key)) return;
    event.preventDefault();
  };
  return (
    <div className={classes.room}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms */}
      <div
        role="group"
        className={classes.map}
        style={{ '--ratio': MAP_WIDTH / MAP_HEIGHT } as CSSProperties}
        data-enlarged={!view.isWhole || undefined}
        aria-label="Map of session locations, largest first"
        onKeyDown={onKeyDown}
      >
        {/* biome-ignore lint/a11y/noStaticElementInteractions: for the keys of the circles */}
        <div ref={roving.container} onKeyDown={roving.onKeyDown}>
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
        <VisuallyHidden role="status">{view.isWhole ? '' : `Zoomed in ${view.zoom}×`}</VisuallyHidden>
      </div>
    </div>
  );
}

const viewBoxOf = ({ left, top, size }: { left: number; top: number; size: number }): string =>
  [left * MAP_WIDTH, top * MAP_HEIGHT, size * MAP_WIDTH, size * MAP_HEIGHT].join(' ');

/** Attribution required by the data's licence (CC BY 4.0). */
export const LocationCredit = () => (
  <Anchor size="xs" c="dimmed" underline="always" href="https://db-ip.com" rel="noreferrer" target="_blank">
    IP Geolocation by DB-IP
  </Anchor>
);

export const UnknownLocationMark = () => <span className={classes.unknown} aria-hidden />;

/** In an empty corner of the map. */
function ZoomButtons({ view }: { view: ReturnType<typeof useMapView> }) {
  const buttons = [
    { sign: 'M12 5v14M5 12h14', label: 'Zoom in', keys: '+', act: () => view.enlarge(), idle: view.isClosest },
    { sign: 'M5 12h14', label: 'Zoom out', keys: '-', act: view.reduce, idle: view.isWhole },
    {
      sign: 'M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4',
      label: 'Show the whole map',
      keys: '0',
      act: view.showAll,
      idle: view.isWhole,
    },
  ];
  return (
    <Group gap={4} pos="absolute" bottom="0.25rem" left="0.25rem" style={{ zIndex: 2 }}>
      {buttons.map(({ sign, label, keys, act, idle }) => (
        <IconButton
          key={label}
          variant="default"
          label={label}
          title={`${label} (${keys})`}
          aria-keyshortcuts={keys}
          idle={idle}
          onClick={act}
        >
          <svg viewBox="0 0 24 24" width="16" height="16" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden>
            <path d={sign} />
          </svg>
        </IconButton>
      ))}
    </Group>
  );
}

/** Makes all buttons in a container one tab stop; arrow keys, Home and End move between them. */
function useRovingFocus(count: number) {
  const container = useRef<HTMLDivElement>(null);
  const [chosen, setCurrent] = useState(0);
  const within = (index: number): number => Math.max(0, Math.min(index, count - 1));
  const current = within(chosen);
  return {
    container,
    current,
    setCurrent,
    onKeyDown(event: KeyboardEvent): void {
      if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -count, End: count }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      container.current?.querySelectorAll('button')[within(current + step)]?.focus();
    },
  };
}
