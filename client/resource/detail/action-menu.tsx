import type { Icon } from '../../ui/icon.tsx';
import '@mantine/core/styles/Popover.layer.css';
import '@mantine/core/styles/Menu.layer.css';
import { ActionIcon, Menu } from '@mantine/core';
import { type ComponentType, Fragment, Suspense, useEffect, useState } from 'react';
import { offerPageActions } from '../../ui/hooks/page-actions.ts';
import { IconDots } from '../icons.ts';

/** What a detail page's menu offers: each opens a dialog, which may be a component that loads then. */
export interface MenuAction<Subject> {
  label: string;
  icon: Icon;
  /** Cannot be taken back: stands apart and is red. */
  final?: boolean;
  dialog: ComponentType<Subject & { onClose: () => void }>;
}

/** What is rare or cannot be taken back. @param subject whatever the dialogs are given beside `onClose` */
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
          // Never in the place of one that is open: what it shows may be shown once.
          run: () => setDialog((open: MenuAction<Subject>['dialog'] | undefined) => open ?? dialog),
        })),
      ),
    [actions],
  );
  return (
    <>
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
      <Suspense>{Dialog !== undefined && <Dialog {...props.subject} onClose={() => setDialog(undefined)} />}</Suspense>
    </>
  );
}
