import { type ReactNode, Suspense, useState } from 'react';
import { Button } from '../../ui/elements/button.tsx';
import type { Icon } from '../../ui/icon.tsx';
import { lazyDialog } from '../../ui/loading/lazy-part.tsx';
import { SelectionBar } from '../list/selection-bar.tsx';
import type { Selection } from '../list/use-selection.ts';
import type { BulkAct, BulkSubject } from './bulk-act.ts';

interface BulkButton {
  label: string;
  icon: Icon;
}

/**
 * The `actions` of a list: buttons that act on the selected rows. The dialog loads on the first click, since most visits
 * change nothing. When it closes, items not done stay selected.
 * @param buttons by name of the act
 */
export function bulkActions<T extends { id: string }, Name extends string>(
  buttons: Readonly<Record<Name, BulkButton>>,
  load: () => Promise<{ ACTS: Readonly<Record<NoInfer<Name>, BulkAct<T>>>; SUBJECT: BulkSubject<T> }>,
): (selection: Selection<T>) => ReactNode {
  const Dialog = lazyDialog(async () => {
    const [{ BulkDialog }, { ACTS, SUBJECT }] = await Promise.all([import('./bulk-dialog.tsx'), load()]);
    return {
      Dialog: ({
        name,
        ...props
      }: {
        name: Name;
        items: readonly T[];
        onClose: (failedIds: string[] | undefined) => void;
      }) => <BulkDialog act={ACTS[name]} subject={SUBJECT} {...props} />,
    };
  }, 'Dialog');

  /** The dialog outlives the buttons, since the rows may disappear while it runs. */
  function BulkActions({ selection }: { selection: Selection<T> }) {
    const [open, setOpen] = useState<{ name: Name; items: readonly T[] }>();
    return (
      <>
        <SelectionBar selection={selection}>
          {(Object.entries(buttons) as [Name, BulkButton][]).map(([name, { label, icon: Icon }]) => (
            <Button
              key={name}
              size="xs"
              variant="default"
              leftSection={<Icon size={14} />}
              onClick={() => setOpen({ name, items: selection.rows })}
            >
              {label}
            </Button>
          ))}
        </SelectionBar>
        {open !== undefined && (
          <Suspense>
            <Dialog
              {...open}
              onClose={(failedIds) => {
                setOpen(undefined);
                if (failedIds !== undefined) selection.choose(failedIds);
              }}
            />
          </Suspense>
        )}
      </>
    );
  }
  return (selection) => <BulkActions selection={selection} />;
}
