import { Button } from '@mantine/core';
import { type ComponentType, Suspense, useState } from 'react';

export interface BulkActionButton<Name> {
  name: Name;
  label: string;
  icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>;
}

export interface BulkDialogProps<T, Name> {
  /** The act whose button was pressed. */
  name: Name;
  items: readonly T[];
  /** @param failedIds those to whom it was not done; undefined if it never ran */
  onClose: (failedIds: string[] | undefined) => void;
}

/**
 * The buttons of what can be done to the chosen rows.
 * @param dialog is rendered after a click, so it may be a component that loads then
 * @param onDone the ids of those to whom it was not done, when the dialog is closed
 */
export function BulkActions<T, Name extends string>(props: {
  buttons: readonly BulkActionButton<Name>[];
  dialog: ComponentType<BulkDialogProps<T, Name>>;
  items: readonly T[];
  onDone: (failedIds: string[]) => void;
}) {
  const { dialog: Dialog } = props;
  const [open, setOpen] = useState<{ name: Name; items: readonly T[] }>();
  return (
    <>
      {props.buttons.map(({ name, label, icon: Icon }) => (
        <Button
          key={name}
          size="xs"
          variant="default"
          leftSection={<Icon size={14} aria-hidden />}
          onClick={() => setOpen({ name, items: props.items })}
        >
          {label}
        </Button>
      ))}
      {open !== undefined && (
        <Suspense>
          <Dialog
            name={open.name}
            items={open.items}
            onClose={(failedIds) => {
              setOpen(undefined);
              if (failedIds !== undefined) props.onDone(failedIds);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
