import '@mantine/core/styles/Popover.layer.css';
import '@mantine/core/styles/Menu.layer.css';
import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { type ComponentType, Fragment, Suspense, useRef, useState } from 'react';

/** What a detail page's menu offers: each opens a dialog, which may be a component that loads then. */
export interface MenuAction<Subject> {
  label: string;
  icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>;
  /** Cannot be taken back: stands apart and is red. */
  final?: boolean;
  dialog: ComponentType<Subject & { onClose: () => void }>;
}

/** What is rare or cannot be taken back. @param subject whatever the dialogs are given beside `onClose` */
export function ActionMenu<Subject extends object>(props: {
  actions: readonly MenuAction<Subject>[];
  subject: Subject;
}) {
  const [Dialog, setDialog] = useState<MenuAction<Subject>['dialog']>();
  const button = useRef<HTMLButtonElement>(null);
  // The item that opened the dialog is gone by then: the focus would fall to the page.
  const close = (): void => {
    setDialog(undefined);
    requestAnimationFrame(() => button.current?.focus());
  };
  return (
    <>
      <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <ActionIcon ref={button} variant="default" size={36} aria-label="More actions" title="More actions">
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {props.actions.map(({ label, icon: Icon, final, dialog }) => (
            <Fragment key={label}>
              {final && <Menu.Divider />}
              <Menu.Item
                c={final ? 'var(--mantine-color-error)' : undefined}
                leftSection={<Icon size={16} aria-hidden />}
                onClick={() => setDialog(() => dialog)}
              >
                {label}
              </Menu.Item>
            </Fragment>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Suspense>{Dialog !== undefined && <Dialog {...props.subject} onClose={close} />}</Suspense>
    </>
  );
}
