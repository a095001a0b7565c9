import type { Icon } from '../../ui/icon.tsx';
import '@mantine/core/styles/UnstyledButton.layer.css';
import '@mantine/core/styles/Popover.layer.css';
import '@mantine/core/styles/Menu.layer.css';
import { Menu } from '@mantine/core';
import { type ComponentType, Fragment, Suspense, useEffect, useState } from 'react';
import { ActionIcon } from '../../ui/elements/button.tsx';
import { offerPageActions } from '../../ui/hooks/page-actions.ts';
import { Overlay } from '../../ui/overlay/overlay.tsx';
import { IconDots } from '../icons.ts';

/** An entry of a detail page's menu. It opens a dialog, which may be lazy. */
export interface MenuAction<Subject> {
  label: string;
  icon: Icon;
  /** Cannot be undone: set apart, and red. */
  final?: boolean;
  dialog: ComponentType<Subject & { onClose: () => void }>;
}

/** Menu of rare or irreversible actions. @param subject the dialogs' props besides `onClose` */
export function ActionMenu<Subject extends object>(props: {
  actions: readonly MenuAction<Subject>[];
  subject: Subject;
}) {
  const { actions } = props;
  const [Dialog, setDialog] = useState<MenuAction<Subject>['dialog']>();
  useEffect(
    () =>
      offerPageActions(
        actions.map(({ label, icon, dialog }) => ({
          label,
          icon,
          // Never replaces an open dialog: its content may be shown only once.
          run: () => setDialog((open: MenuAction<Subject>['dialog'] | undefined) => open ?? dialog),
        })),
      ),
    [actions],
  );
  return (
    <>
      <Overlay>
        <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
          <Menu.Target>
            <ActionIcon variant="default" size={36} aria-label="More actions" title="More actions">
              <IconDots size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {actions.map(({ label, icon: Icon, final, dialog }) => (
              <Fragment key={label}>
                {final && <Menu.Divider />}
                <Menu.Item
                  c={final ? 'var(--mantine-color-error)' : undefined}
                  leftSection={<Icon />}
                  onClick={() => setDialog(() => dialog)}
                >
                  {label}
                </Menu.Item>
              </Fragment>
            ))}
          </Menu.Dropdown>
        </Menu>
      </Overlay>
      <Suspense>{Dialog !== undefined && <Dialog {...props.subject} onClose={() => setDialog(undefined)} />}</Suspense>
    </>
  );
}
