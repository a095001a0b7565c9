import '@mantine/core/styles/UnstyledButton.layer.css';
import '@mantine/core/styles/CloseButton.layer.css';
import '@mantine/core/styles/Paper.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Drawer.layer.css';
import { type DrawerProps, Drawer as MantineDrawer } from '@mantine/core';
import { Overlay } from './overlay.tsx';

/** A dialog beside the page. */
export const Drawer = (props: DrawerProps) => (
  <Overlay>
    <MantineDrawer {...props} />
  </Overlay>
);
