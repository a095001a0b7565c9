import { Button, type DrawerProps, Group, type ModalProps, Stack } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { focusHeading } from './hooks.tsx';
import { lazyPart, MissingPart } from './lazy-part.tsx';

const PlainModal = lazyPart(() => import('./overlays.ts'), 'Modal');
const PlainDrawer = lazyPart(() => import('./overlays.ts'), 'Drawer');

/** Await this before creating a secret that only a dialog can show. @throws MissingPart if dialogs cannot be loaded */
export async function loadDialogs(): Promise<void> {
  await import('./overlays.ts').catch((cause: unknown) => {
    throw new MissingPart(cause, () => {});
  });
  await PlainModal.preload?.();
}

/** The widths of dialogs and drawers: `md` for a question or a short form, `lg` for tables and long texts. */
const WIDTHS = { md: '28rem', lg: '48rem' };

interface Width {
  size?: keyof typeof WIDTHS;
}

const BUSY = { onClose: () => {}, closeButtonProps: { 'aria-label': 'Close', disabled: true } };

/** Mantine's modal, loaded with the first dialog. @param props.busy whether it cannot be closed at the moment */
export function Modal({ size = 'md', busy, ...props }: Omit<ModalProps, 'size'> & Width & { busy?: boolean }) {
  useReturnFocus();
  return <PlainModal {...props} {...(busy && BUSY)} size={WIDTHS[size]} />;
}

export function Drawer({ size = 'md', ...props }: Omit<DrawerProps, 'size'> & Width) {
  useReturnFocus();
  return <PlainDrawer {...props} size={WIDTHS[size]} />;
}

/** The buttons of a dialog. Cancel comes first and takes the focus, unless a field above does. */
export function DialogFooter(props: {
  onCancel: () => void;
  /** Default: "Cancel". */
  cancel?: string | undefined;
  pending?: boolean | undefined;
  start?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <Group justify="space-between" gap="xs">
      {props.start}
      <Group gap="xs" ml="auto">
        <Button variant="default" onClick={() => props.onCancel()} disabled={props.pending} data-autofocus>
          {props.cancel ?? 'Cancel'}
        </Button>
        {props.children}
      </Group>
    </Group>
  );
}

/** The form of a dialog, with its buttons. @param props.submit label of the button that submits; undefined for none */
export function DialogForm(
  props: Parameters<typeof DialogFooter>[0] & {
    submit: string | undefined;
    color?: string | undefined;
    disabled?: boolean;
    onSubmit: () => void;
  },
) {
  const { submit, color, disabled, onSubmit, children, ...footer } = props;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!disabled) onSubmit();
      }}
    >
      <Stack gap="md">
        {children}
        <DialogFooter {...footer}>
          {submit !== undefined && (
            <Button type="submit" color={color} loading={footer.pending} disabled={disabled}>
              {submit}
            </Button>
          )}
        </DialogFooter>
      </Stack>
    </form>
  );
}

/** Elements that had the focus before the open dialog, and before the dialogs that it replaced. */
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

/** The button of the menu for a menu item, which is removed when the menu closes; otherwise the element itself. */
function openerOf(element: Element): Element {
  const button = element.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return (button && document.getElementById(button)) || element;
}
