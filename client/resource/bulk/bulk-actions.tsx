import { Button } from '@mantine/core';
import { type ComponentType, Suspense, useState } from 'react';
import type { Icon } from '../../ui/icon.tsx';
import { SelectionBar } from '../list/selection-bar.tsx';
import type { Selection } from '../list/use-selection.ts';

export interface BulkActionButton<Name> {
  name: Name;
  label: string;
  icon: Icon;
}

export interface BulkDialogProps<T, Name> {
  /** The act whose button was pressed. */
  name: Name;
  items: readonly T[];
  /** @param failedIds those to whom it was not done; undefined if it never ran */
  onClose: (failedIds: string[] | undefined) => void;
}

/**
 * The buttons of what can be done to the chosen rows. The dialog outlives them: the rows may go while it runs.
 * @param dialog is rendered after a click, so it may be a component that loads then
 * @param selection when the dialog is closed, those to whom it was not done stay chosen
 */
export function BulkActions<T, Name extends string>(props: {
  buttons: readonly BulkActionButton<Name>[];
  dialog: ComponentType<BulkDialogProps<T, Name>>;
  selection: Selection<T>;
}) {
  const { dialog: Dialog, selection } = props;
  const [open, setOpen] = useState<{ name: Name; items: readonly T[] }>();
  return (
    <>
      <SelectionBar selection={selection}>
        {props.buttons.map(({ name, label, icon: Icon }) => (
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
            name={open.name}
            items={open.items}
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
