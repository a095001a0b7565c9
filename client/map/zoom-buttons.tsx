import { ActionIcon } from '@mantine/core';
import classes from './session-map.module.css';
import type { useMapView } from './use-map-view.ts';

const SIGNS = {
  in: 'M12 5v14M5 12h14',
  out: 'M5 12h14',
  all: 'M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4',
} as const;

/** For the corner of the map where nobody lives. A button that can do nothing keeps the focus. */
export function ZoomButtons({ view }: { view: ReturnType<typeof useMapView> }) {
  const buttons = [
    { sign: SIGNS.in, label: 'Zoom in', keys: '+', act: () => view.enlarge(), idle: view.isClosest },
    { sign: SIGNS.out, label: 'Zoom out', keys: '-', act: view.reduce, idle: view.isWhole },
    { sign: SIGNS.all, label: 'Show the whole map', keys: '0', act: view.showAll, idle: view.isWhole },
  ];
  return (
    <div className={classes.zoom} data-pans>
      {buttons.map(({ sign, label, keys, act, idle }) => (
        <ActionIcon
          key={label}
          variant="default"
          aria-label={label}
          title={`${label} (${keys})`}
          aria-keyshortcuts={keys}
          aria-disabled={idle}
          data-disabled={idle || undefined}
          onClick={act}
        >
          <svg viewBox="0 0 24 24" width="16" height="16" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden>
            <path d={sign} />
          </svg>
        </ActionIcon>
      ))}
    </div>
  );
}
