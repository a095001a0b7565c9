import type { DrawerProps, ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { focusHeading } from './hooks.tsx';
import { lazyPart, MissingPart } from './lazy-part.tsx';

const PlainModal = lazyPart(() => import('./overlays.ts'), 'Modal');
const PlainDrawer = lazyPart(() => import('./overlays.ts'), 'Drawer');

/** Await this before creating what only a dialog can show. @throws MissingPart if dialogs cannot be loaded */
export async function loadDialogs(): Promise<void> {
  await import('./overlays.ts').catch((cause: unknown) => {
    throw new MissingPart(cause, () => {});
  });
  await PlainModal.preload?.();
}

/** Mantine's modal, loaded with the first dialog. */
export function Modal(props: ModalProps) {
  useReturnFocus();
  return <PlainModal {...props} />;
}

export function Drawer(props: DrawerProps) {
  useReturnFocus();
  return <PlainDrawer {...props} />;
}

/** Elements that had focus before the open dialog and before the dialogs that it replaced. */
let openers: readonly Element[] = [];

/**
 * Returns focus when a dialog is removed, or moves it to the page's heading if the element is gone. Mantine returns
 * focus only from a dialog that closes before its removal.
 */
function useReturnFocus(): void {
  const [before] = useState(() => [openerOf(document.activeElement ?? document.body), ...openers]);
  useEffect(() => {
    openers = before;
    return () => {
      openers = before.slice(1);
      if (document.activeElement !== document.body) return;
      const opener = before.find((element) => element.isConnected && element !== document.body);
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
      else focusHeading();
    };
  }, [before]);
}

/** Menu items are removed with their menu, but its button stays. */
function openerOf(element: Element): Element {
  const button = element.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return (button && document.getElementById(button)) || element;
}
