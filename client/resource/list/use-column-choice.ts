import { useState } from 'react';
import { useOperator } from '../../api/session.ts';
import type { Columns } from './column.tsx';

/** An operator's choice of columns, stored in this browser. */
export interface ColumnChoice {
  /** Undefined for the default columns. */
  shown: ReadonlySet<string> | undefined;
  has(name: string): boolean;
  toggle(name: string): void;
  reset(): void;
}

/** @param list name of the list, for the storage key */
export function useColumnChoice(list: string, columns: Columns<never>): ColumnChoice {
  const key = `columns.${list}.${useOperator().identityId}`;
  const [shown, setShown] = useState(() => kept(key, columns));
  const has = (name: string): boolean => isShown(columns, shown, name);
  const choose = (names: readonly string[] | undefined): void => {
    setShown(names && new Set(names));
    keep(key, names);
  };
  return {
    shown,
    has,
    toggle(name) {
      const optional = Object.keys(columns).filter((other) => columns[other]?.optional !== undefined);
      choose(optional.filter((other) => has(other) !== (other === name)));
    },
    reset: () => choose(undefined),
  };
}

export function isShown(columns: Columns<never>, shown: ReadonlySet<string> | undefined, name: string): boolean {
  const optional = columns[name]?.optional;
  if (optional === undefined) return true;
  return shown === undefined ? optional === 'from-start' : shown.has(name);
}

function kept(key: string, columns: Columns<never>): ReadonlySet<string> | undefined {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    if (!Array.isArray(names)) return undefined;
    return new Set(names.filter((name) => Object.hasOwn(columns, name)));
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
