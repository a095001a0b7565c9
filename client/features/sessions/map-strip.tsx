import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { attempt } from '../../../shared/json.ts';
import { createStore } from '../../lib/store.ts';
import { remember } from '../../lib/tab-storage.ts';
import { IconWorld } from '../../ui/icons.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import classes from './sessions.module.css';

// A separate chunk, so that the list does not wait for the map.
const MapPanel = lazyPart(() => import('./map-panel.tsx'), 'MapPanel', null);

const ID = 'sessions-map';

/** Unfolds the map above the list. */
export function MapButton() {
  const isOpen = useIsOpen();
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
  const isOpen = useIsOpen();
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
/** For browsers without storage. */
let isOpenHere = false;
const changes = createStore(0);

function useIsOpen(): boolean {
  changes.use();
  return attempt(() => localStorage.getItem(KEY) === 'open') ?? isOpenHere;
}

function setOpen(open: boolean): void {
  isOpenHere = open;
  remember(KEY, open ? 'open' : undefined);
  changes.set(changes.get() + 1);
}
