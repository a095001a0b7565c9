import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { createStore } from '../../lib/store.ts';
import { remember, remembered } from '../../lib/tab-storage.ts';
import { IconWorld } from '../../ui/icons.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import classes from './sessions.module.css';

// A separate chunk, so that the list does not wait for the map.
const MapPanel = lazyPart(() => import('./map-panel.tsx'), 'MapPanel', null);

const ID = 'sessions-map';

/** Unfolds the map above the list. */
export function MapButton() {
  const isOpen = mapIsOpen.use();
  return (
    <Button
      variant={isOpen ? 'light' : 'default'}
      leftSection={<IconWorld />}
      aria-expanded={isOpen}
      aria-controls={ID}
      onClick={() => setOpen(!isOpen)}
    >
      Map
    </Button>
  );
}

export function BelowMap({ children }: { children?: ReactNode }) {
  const isOpen = mapIsOpen.use();
  return (
    <>
      <aside id={ID} className={classes.strip} hidden={!isOpen} aria-label="Where the sessions are">
        {isOpen && <MapPanel />}
      </aside>
      {children}
    </>
  );
}

/** Key in the browser's storage. */
const KEY = 'sessions.map';
const mapIsOpen = createStore(remembered(KEY) === 'open');

function setOpen(open: boolean): void {
  remember(KEY, open ? 'open' : undefined);
  mapIsOpen.set(open);
}
