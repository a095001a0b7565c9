import { Button, Group, Text } from '@mantine/core';
import { type ComponentType, type ReactNode, useRef, useState } from 'react';
import type { Capability } from '../../shared/capabilities.ts';
import { useCan } from '../api/session.ts';
import { digits } from '../lib/format-count.ts';
import { GuardedButton } from '../ui/buttons.tsx';
import { usePassFocusOn } from '../ui/hooks.tsx';
import { Dimmed } from '../ui/layout.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import type { Icon } from '../ui/shell-icons.tsx';
import type { BulkAct, BulkSubject } from './bulk-run.ts';
import { useList } from './cursor-list.ts';

interface BulkButton {
  /** Without the “…” for its dialog. */
  label: string;
  icon: Icon;
  /** `upstreams.write` by default. Without it, the button is left out. */
  needs?: Capability;
  main?: true;
  /** Deletes: the text is red. */
  deletes?: true;
}

interface BulkActionsProps<Name extends string, Search> {
  /** For lists whose actions can apply to all matching rows. */
  matching?:
    | {
        search: Search;
        /** Number of matches; null if unknown. */
        total: number | null;
        /** Why an action is unavailable, by name. */
        refused?: Partial<Record<Name, string>>;
      }
    | undefined;
  children?: ReactNode;
}

/**
 * Creates the bulk actions of a list: buttons for the selected rows or all matching rows, as far as the operator
 * may use them. The dialog loads on the first click, since most visits change nothing. After a run, only unfinished
 * items stay selected.
 * @param buttons by name of the action
 */
export function bulkActions<T extends { id: string }, Name extends string, Search = undefined>(
  buttons: Readonly<Record<Name, BulkButton>>,
  load: () => Promise<{
    ACTS: Readonly<Record<NoInfer<Name>, BulkAct<T>>>;
    SUBJECT: BulkSubject<T, Search>;
  }>,
): ComponentType<BulkActionsProps<Name, Search>> {
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
        // Evaluated once: the search and “the last seven days” must not change while the dialog is open.
        const [matching] = useState(() => (search === undefined ? undefined : SUBJECT.matching?.(search)));
        return <BulkDialog act={ACTS[name]} subject={SUBJECT} matching={matching} {...props} />;
      },
    };
  }, 'Dialog');

  /** The dialog stays even if the buttons disappear together with their rows. */
  return function BulkActions({ matching, children }) {
    const { selection } = useList<T>();
    const may = useCan();
    const offered = (Object.entries(buttons) as [Name, BulkButton][]).filter(([, { needs = 'upstreams.write' }]) =>
      may(needs),
    );
    const reasons = new Set(offered.flatMap(([name]) => matching?.refused?.[name] ?? []));
    const [open, setOpen] = useState<Omit<Opened, 'onClose'>>();
    return (
      <>
        <SelectionBar total={matching?.total}>
          {offered.map(([name, { label, icon: Icon, main, deletes }]) => (
            <GuardedButton
              key={name}
              size="xs"
              variant={main ? 'filled' : 'default'}
              c={deletes && !matching?.refused?.[name] ? 'var(--mantine-color-error)' : undefined}
              reason={matching?.refused?.[name]}
              leftSection={<Icon size={14} />}
              onClick={() =>
                setOpen({ name, items: selection.all ? undefined : selection.rows, search: matching?.search })
              }
            >
              {label}…
            </GuardedButton>
          ))}
          {children}
          {[...reasons].map((reason) => (
            <Dimmed key={reason} size="xs" aria-hidden w="100%">
              {reason}
            </Dimmed>
          ))}
        </SelectionBar>
        {open !== undefined && (
          <Dialog
            {...open}
            onClose={(failedIds) => {
              setOpen(undefined);
              if (failedIds !== undefined) selection.choose(new Set(failedIds));
            }}
          />
        )}
      </>
    );
  };
}

/**
 * Replaces the content of the list's footer, so that rows do not move when some are selected.
 * @param total number of matching rows, if all of them can be selected; null if unknown
 */
export function SelectionBar({ total, children }: { total?: number | null | undefined; children: ReactNode }) {
  const { selection } = useList();
  const chosen = selection.rows.length;
  if (chosen === 0) return null;
  const all = total == null ? 'all matching rows' : `all ${digits(total)} matching rows`;
  return (
    <Bar>
      <Group gap="xs">
        <Text size="sm" fw={500} role="status">
          {selection.all ? `${all.replace('a', 'A')} selected` : `${digits(chosen)} selected on this page`}
        </Text>
        {total !== undefined && (selection.all || total === null || total > chosen) && (
          // A single button with two labels keeps its focus.
          <Button
            size="xs"
            variant="subtle"
            onClick={() => (selection.all ? selection.choose(selection.chosen) : selection.chooseAll())}
          >
            {selection.all ? 'Select only this page' : `Select ${all}`}
          </Button>
        )}
        <Button size="xs" variant="subtle" onClick={() => selection.choose(new Set())}>
          Clear
        </Button>
      </Group>
      <Group gap="xs">{children}</Group>
    </Bar>
  );
}

/** Its buttons end the selection, and with it the bar. */
function Bar({ children }: { children: ReactNode }) {
  const bar = useRef<HTMLDivElement>(null);
  usePassFocusOn(bar);
  return (
    <Group ref={bar} gap="sm" flex={1} c="var(--mantine-color-text)" data-selection>
      {children}
    </Group>
  );
}
