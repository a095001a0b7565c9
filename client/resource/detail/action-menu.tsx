import { type ComponentType, Suspense, useEffect, useState } from 'react';
import { Button } from '../../ui/elements/button.tsx';
import { MenuButton } from '../../ui/elements/menu.tsx';
import { copyAndSay } from '../../ui/feedback/copy-by-hand.tsx';
import { offerPageActions } from '../../ui/hooks/page-actions.ts';
import type { Icon } from '../../ui/icon.tsx';
import { IconCopy } from '../../ui/icons.ts';
import { IconDots } from '../icons.ts';
import { COPIES, type Copyable } from './copy-as.ts';

/** An entry of a detail page's menu. It opens a dialog, which may be lazy. */
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
 * @param subject the dialogs' props besides `onClose` @param copy the thing itself
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
  const listed = actions.filter(({ beside }) => !beside);
  const entryOf = ({ label, icon: Icon, final, dialog }: MenuAction<Subject>) => ({
    label,
    icon: <Icon />,
    final,
    choose: () => setDialog(() => dialog),
  });
  return (
    <>
      {actions
        .filter(({ beside }) => beside)
        .map(({ label, icon: Icon, dialog }) => (
          <Button key={label} variant="default" leftSection={<Icon />} onClick={() => setDialog(() => dialog)}>
            {label}
          </Button>
        ))}
      <MenuButton
        label="More actions"
        icon={<IconDots size={18} />}
        entries={[
          ...listed.filter(({ final }) => !final).map(entryOf),
          ...COPIES.map(({ label, text }) => ({
            label,
            icon: <IconCopy />,
            choose: () => void copyAndSay(text(copy)),
          })),
          ...listed.filter(({ final }) => final).map(entryOf),
        ]}
      />
      <Suspense>{Dialog !== undefined && <Dialog {...props.subject} onClose={() => setDialog(undefined)} />}</Suspense>
    </>
  );
}
