// biome-ignore-all lint/a11y/noRedundantRoles: as grids of CSS these elements lose their own roles in some browsers
// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows take the focus is a grid
// biome-ignore-all lint/a11y/useFocusableInteractive: the rows take the focus, not the headings of the columns
import { Paper, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type MouseEvent, type RefObject, useEffect, useMemo, useRef } from 'react';
import { copyText } from '../../../ui/copy-text.ts';
import { toast } from '../../../ui/toasts.tsx';
import classes from './identities-table.module.css';
import { IdentityRow } from './identity-row.tsx';
import { SelectionBar } from './selection-bar.tsx';
import type { ShownPage } from './shown-page.ts';
import { useGrowing } from './use-growing.ts';
import { rowOf, useRowKeys } from './use-row-keys.ts';
import type { Selection } from './use-selection.ts';

const COLUMNS = [
  ['identifier', 'Identifier'],
  ['name', 'Name'],
  ['state', 'State'],
  ['created', 'Created'],
  ['updated', 'Updated'],
  ['id', 'Id'],
] as const;

const route = getRouteApi('/signed-in/identities');

export function IdentitiesTable(props: {
  shown: ShownPage;
  busy: boolean;
  selection: Selection;
  /** Set when a key in a table asks for another page: the first row there takes the focus that the old table loses. */
  focusNext: RefObject<boolean>;
  next: (() => void) | undefined;
  previous: (() => void) | undefined;
}) {
  const { shown, busy, selection, focusNext } = props;
  const { identities } = shown.page;
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const table = useRef<HTMLTableElement>(null);
  const drawn = useGrowing(identities.length);

  const open = (id: string): void =>
    void navigate({
      to: '/identities/$id',
      params: { id },
      state: { identityList: { search, pages: shown.pages } },
    });
  const turn = (page: (() => void) | undefined) =>
    page &&
    (() => {
      focusNext.current = true;
      page();
    });
  const keys = useRowKeys(table, drawn, {
    open: (index) => identities[index] && open(identities[index].id),
    toggle: (index) => identities[index] && selection.toggle(identities[index].id),
    next: turn(props.next),
    previous: turn(props.previous),
  });

  useEffect(() => {
    if (focusNext.current) rowOf(table.current, 0)?.focus();
    focusNext.current = false;
  }, [focusNext]);

  const onClick = (event: MouseEvent<HTMLElement>): void => {
    const target = event.target as HTMLElement;
    const copied = target.closest<HTMLElement>('[data-copy]')?.dataset.copy;
    if (copied !== undefined) void copyText(copied).then(() => toast('Copied'), cannotCopy);
    const opened = target.closest<HTMLElement>('[data-open]')?.dataset.open;
    if (opened === undefined || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    open(opened);
  };

  const { chosen, toggle } = selection;
  const { current } = keys;
  // The same elements again while only what stands around the rows changes: React then passes all of them over.
  const rows = useMemo(
    () =>
      identities
        .slice(0, drawn)
        .map((identity, index) => (
          <IdentityRow
            key={identity.id}
            identity={identity}
            index={index}
            current={index === current}
            chosen={chosen.has(identity.id)}
            onToggle={toggle}
          />
        )),
    [identities, drawn, current, chosen, toggle],
  );
  const count = selection.identities.length;
  return (
    <div>
      <Paper withBorder className={classes.frame} data-busy={busy || undefined} aria-busy={busy}>
        <table
          ref={table}
          role="grid"
          aria-label="Identities"
          aria-multiselectable
          className={classes.table}
          onClick={onClick}
          onKeyDown={keys.onKeyDown}
          onFocus={({ target }) => {
            const row = target.closest<HTMLElement>('[data-row]')?.dataset.row;
            if (row !== undefined) keys.setCurrent(Number(row));
          }}
        >
          <thead role="rowgroup">
            <tr role="row" className={classes.head}>
              <th role="columnheader" scope="col" className={classes.choose}>
                <input
                  type="checkbox"
                  aria-label="Select all rows of this page"
                  // Set here, and not as a property: that would take the tick back until all rows have theirs.
                  ref={(box) => {
                    if (box === null) return;
                    box.checked = count === identities.length;
                    box.indeterminate = count > 0 && !box.checked;
                  }}
                  onChange={({ currentTarget }) =>
                    selection.choose(currentTarget.checked ? identities.map(({ id }) => id) : [])
                  }
                />
              </th>
              {COLUMNS.map(([name, label]) => (
                <th key={name} role="columnheader" scope="col" className={classes[name]}>
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">{rows}</tbody>
        </table>
      </Paper>
      <Text size="xs" c="dimmed" mt="xs" className={classes.keys}>
        In the table: <kbd>j</kbd> <kbd>k</kbd> move, <kbd>Enter</kbd> opens, <kbd>x</kbd> selects, <kbd>n</kbd>{' '}
        <kbd>p</kbd> next and previous page. The identity service orders by id; it cannot sort in another way.
      </Text>
      <SelectionBar selection={selection} />
    </div>
  );
}

const cannotCopy = (): void => toast('The browser did not allow copying.');
