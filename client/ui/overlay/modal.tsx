import '@mantine/core/styles/UnstyledButton.layer.css';
import '@mantine/core/styles/CloseButton.layer.css';
import '@mantine/core/styles/Paper.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import { Modal as MantineModal, type ModalProps } from '@mantine/core';
import { Overlay } from './overlay.tsx';

/** A dialog over the page. */
export const Modal = (props: ModalProps) => (
  <Overlay>
    <MantineModal {...props} />
  </Overlay>
);
