import { Box, Button } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconWorld } from '../../ui/icons.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';

// A separate chunk, so that the list does not wait for the map.
const MapPanel = lazyPart(() => import('./map-panel.tsx'), 'MapPanel', null);

const ID = 'sessions-map';

const useIsOpen = () => useLocalStorage({ key: 'sessions.map', defaultValue: false, getInitialValueInEffect: false });

export function MapButton() {
  const [isOpen, setOpen] = useIsOpen();
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

export function MapStrip() {
  const [isOpen] = useIsOpen();
  return (
    // Reserves the height until the chunk has loaded, so that nothing below moves.
    <Box component="aside" id={ID} mih="18.5rem" mb="sm" hidden={!isOpen} aria-label="Where the sessions are">
      {isOpen && <MapPanel />}
    </Box>
  );
}
