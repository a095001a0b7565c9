import { type ComponentType, Suspense, useEffect, useState } from 'react';
import { MenuButton } from '../../ui/elements/menu.tsx';
import { offerPageActions } from '../../ui/hooks/page-actions.ts';
import type { Icon } from '../../ui/icon.tsx';
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
      <MenuButton
        label="More actions"
        icon={<IconDots size={18} />}
        entries={actions.map(({ label, icon: Icon, final, dialog }) => ({
          label,
          icon: <Icon />,
          final,
          choose: () => setDialog(() => dialog),
        }))}
      />
      <Suspense>{Dialog !== undefined && <Dialog {...props.subject} onClose={() => setDialog(undefined)} />}</Suspense>
    </>
  );
}
