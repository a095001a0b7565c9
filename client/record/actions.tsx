import { ActionIcon, Button } from '@mantine/core';
import { type ComponentType, cloneElement, useEffect, useState } from 'react';
import { shellCommand } from '../lib/encoding.ts';
import { visibleJson } from '../lib/visible-text.ts';
import { copyAndSay } from '../ui/buttons.tsx';
import { IconDots } from '../ui/icons.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { offerPageActions } from '../ui/page-actions.ts';
import { type Icon, IconCopy } from '../ui/shell-icons.tsx';

const MenuOfButton = lazyPart(() => import('../ui/menu-of-button.tsx'), 'MenuOfButton');

/** An entry of a detail page's menu: it opens a dialog. */
export interface MenuAction<Subject> {
  label: string;
  icon: Icon;
  /** Cannot be undone: set apart, and red. */
  final?: boolean;
  /** A button beside the menu, since it is often needed. */
  beside?: boolean;
  dialog: ComponentType<Subject & { onClose: () => void }>;
}

/**
 * Menu of rare or irreversible actions, and of ways to copy.
 * @param subject the dialogs' props besides `onClose` @param copy the record
 */
export function ActionMenu<Subject extends object>(props: {
  actions: readonly MenuAction<Subject>[];
  subject: Subject;
  copy: Copyable;
}) {
  const { actions, copy } = props;
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
  const [menuOpened, setMenuOpened] = useState(false);
  const openMenu = (): void => void MenuOfButton.preload?.()?.then(() => setMenuOpened(true));
  const items = [
    ...actions
      .filter(({ beside }) => !beside)
      .map(({ label, icon, final, dialog }) => ({ label, icon, final, run: () => setDialog(() => dialog) })),
    ...COPIES.map(({ label, text }) => ({ label, icon: IconCopy, run: () => void copyAndSay(text(copy)) })),
  ];
  const button = (
    <ActionIcon variant="default" size={36} aria-label="More actions" title="More actions" autoFocus={menuOpened}>
      <IconDots size={18} />
    </ActionIcon>
  );
  return (
    <>
      {actions
        .filter(({ beside }) => beside)
        .map(({ label, icon: Icon, dialog }) => (
          <Button key={label} variant="default" leftSection={<Icon />} onClick={() => setDialog(() => dialog)}>
            {label}
          </Button>
        ))}
      {menuOpened ? (
        <MenuOfButton button={button} items={items} onClose={() => setMenuOpened(false)} />
      ) : (
        cloneElement(button, { 'aria-haspopup': 'menu', 'aria-expanded': false, onClick: openMenu })
      )}
      {Dialog !== undefined && <Dialog {...props.subject} onClose={() => setDialog(undefined)} />}
    </>
  );
}

/** A record as the page shows it, and where it is read. */
export interface Copyable {
  /** Of the dashboard's own API. */
  path: string;
  /** Without what the page masks. */
  value: unknown;
}

/**
 * Reads the record as the app did. A variable stands for the session's cookie, to keep it out of the shell's history and
 * of wherever the command is pasted.
 */
export const curlCommand = (path: string): string =>
  `${shellCommand(['curl', '--fail-with-body', `${location.origin}${path}`])} \\\n  --cookie "dashboard-session=$DASHBOARD_COOKIE"`;

/** The ways to copy a record, by their labels. */
export const COPIES: readonly { label: string; text: (record: Copyable) => string }[] = [
  { label: 'Copy as a curl command', text: ({ path }) => curlCommand(path) },
  { label: 'Copy as JSON', text: ({ value }) => visibleJson(value) },
];
