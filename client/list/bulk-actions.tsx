import { Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { GuardedButton } from '../ui/buttons.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import type { Icon } from '../ui/shell-icons.tsx';
import type { BulkAct, BulkSubject } from './bulk-run.ts';
import { type Selection, SelectionBar } from './selection.tsx';

interface BulkButton {
  label: string;
  icon: Icon;
}

/** What a list asks, if acts may take all that match. */
export interface AskedOfList<Name extends string, Search> {
  search: Search;
  /** How many match; null if they are not counted. */
  total: number | null;
  /** Why an act is not offered, by its name. */
  refused?: Partial<Record<Name, string>>;
}

/**
 * The `actions` of a list: buttons that act on the selected rows, or on all that match. The dialog loads on the first
 * click, since most visits change nothing. When it closes, items not done stay selected.
 * @param buttons by name of the act
 * @returns takes, besides the selection, what the list asks, and what else to put into the bar
 */
export function bulkActions<T extends { id: string }, Name extends string, Search = undefined>(
  buttons: Readonly<Record<Name, BulkButton>>,
  load: () => Promise<{
    ACTS: Readonly<Record<NoInfer<Name>, BulkAct<T>>>;
    SUBJECT: BulkSubject<T, Search>;
  }>,
): (selection: Selection<T>, asked?: AskedOfList<Name, Search>, more?: ReactNode) => ReactNode {
  interface Opened {
    name: Name;
    items: readonly T[] | undefined;
    search: Search | undefined;
    onClose: (failedIds: string[] | undefined) => void;
  }
  const Dialog = lazyPart(async () => {
    const [{ BulkDialog }, { ACTS, SUBJECT }] = await Promise.all([import('./bulk-dialog.tsx'), load()]);
    return {
      Dialog: function Dialog({ name, search, ...props }: Opened) {
        // Once: from here on the question does not change, nor what “the last seven days” are.
        const [asked] = useState(() => (search === undefined ? undefined : SUBJECT.matching?.(search)));
        return <BulkDialog act={ACTS[name]} subject={SUBJECT} matching={asked} {...props} />;
      },
    };
  }, 'Dialog');

  /** The dialog outlives the buttons, since the rows may disappear while it runs. */
  function BulkActions({
    selection,
    asked,
    more,
  }: {
    selection: Selection<T>;
    asked: AskedOfList<Name, Search> | undefined;
    more: ReactNode;
  }) {
    const [open, setOpen] = useState<Omit<Opened, 'onClose'>>();
    return (
      <>
        <SelectionBar selection={selection} total={asked?.total}>
          {(Object.entries(buttons) as [Name, BulkButton][]).map(([name, { label, icon: Icon }]) => (
            <GuardedButton
              key={name}
              size="xs"
              variant="default"
              reason={asked?.refused?.[name]}
              leftSection={<Icon size={14} />}
              onClick={() =>
                setOpen({ name, items: selection.all ? undefined : selection.rows, search: asked?.search })
              }
            >
              {label}
            </GuardedButton>
          ))}
          {more}
          {(Object.values(asked?.refused ?? {}) as string[]).map((reason) => (
            <Text key={reason} size="xs" c="dimmed" aria-hidden w="100%">
              {reason}
            </Text>
          ))}
        </SelectionBar>
        {open !== undefined && (
          <Dialog
            {...open}
            onClose={(failedIds) => {
              setOpen(undefined);
              if (failedIds !== undefined) selection.choose(failedIds);
            }}
          />
        )}
      </>
    );
  }
  return (selection, asked, more) => <BulkActions selection={selection} asked={asked} more={more} />;
}
