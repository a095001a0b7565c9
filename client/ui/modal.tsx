import type { DrawerProps, ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { focusHeading } from './hooks.tsx';
import { lazyPart } from './lazy-part.tsx';

const PlainModal = lazyPart(() => import('./overlays.ts'), 'Modal');
const PlainDrawer = lazyPart(() => import('./overlays.ts'), 'Drawer');

/** Mantine's, loaded with the first dialog. */
export function Modal(props: ModalProps) {
  useReturnFocus();
  return <PlainModal {...props} />;
}

export function Drawer(props: DrawerProps) {
  useReturnFocus();
  return <PlainDrawer {...props} />;
}

/** What had focus before the dialog that is open, and before those that it replaced. */
let openers: readonly Element[] = [];

/**
 * When a dialog is removed, focus returns to where it was before, or to the page's heading if that is gone. Mantine
 * itself returns focus only from a dialog that is closed before it is removed.
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

/** A menu item is removed with its menu, whose button stays. */
function openerOf(element: Element): Element {
  const button = element.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return (button && document.getElementById(button)) || element;
}
