import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useOperator } from '../../api/session.ts';
import type { Columns } from './column.tsx';
import type { PagedSearch } from './page-step.ts';

/** An operator's choice of columns, stored in this browser; that of a view stands in the address instead. */
export interface ColumnChoice {
  /** Undefined for the default columns. */
  shown: ReadonlySet<string> | undefined;
  /** As a search parameter; undefined for the default columns. */
  parameter: string | undefined;
  has(name: string): boolean;
  toggle(name: string): void;
  /** Back to the default columns, from those of a view to the operator's own. */
  reset(): void;
}

/** @param list name of the list, for the storage key */
export function useColumnChoice(list: string, columns: Columns<never>): ColumnChoice {
  const key = `columns.${list}.${useOperator().identityId}`;
  const { columns: linked }: PagedSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const [own, setOwn] = useState(() => kept(key, columns));
  const shown = useMemo(
    () => (linked === undefined ? own : namesIn(linked.split(','), columns)),
    [linked, own, columns],
  );
  const has = (name: string): boolean => isShown(columns, shown, name);
  const choose = (names: readonly string[] | undefined): void => {
    if (linked === undefined) {
      setOwn(names && new Set(names));
      keep(key, names);
      return;
    }
    const search = (before: object) => ({ ...before, columns: names && parameterOf(names) });
    void navigate({ to: '.', search, state: true, replace: true, resetScroll: false });
  };
  return {
    shown,
    parameter: shown && parameterOf([...shown]),
    has,
    toggle(name) {
      const optional = Object.keys(columns).filter((other) => columns[other]?.optional !== undefined);
      choose(optional.filter((other) => has(other) !== (other === name)));
    },
    reset: () => choose(undefined),
  };
}

/** An empty parameter would be absent. */
const parameterOf = (names: readonly string[]): string => names.join(',') || 'none';

export function isShown(columns: Columns<never>, shown: ReadonlySet<string> | undefined, name: string): boolean {
  const optional = columns[name]?.optional;
  if (optional === undefined) return true;
  return shown === undefined ? optional === 'from-start' : shown.has(name);
}

const namesIn = (names: readonly string[], columns: Columns<never>): ReadonlySet<string> =>
  new Set(names.filter((name) => Object.hasOwn(columns, name)));

function kept(key: string, columns: Columns<never>): ReadonlySet<string> | undefined {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    if (!Array.isArray(names)) return undefined;
    return namesIn(names, columns);
  } catch {
    return undefined;
  }
}

function keep(key: string, names: readonly string[] | undefined): void {
  try {
    if (names === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(names));
  } catch {
    // Without storage, the defaults are shown again next time.
  }
}
