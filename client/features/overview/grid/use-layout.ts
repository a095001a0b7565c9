import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { WidgetPlacement } from '../../../../shared/dashboard.ts';
import { findLayout, layoutQuery, saveLayout } from '../../../api/dashboard-layout.ts';
import { type Arrangement, arrangementOf, type GridWidget, type StoredLayout, storedLayout } from './arrangement.ts';
import { type LayoutSaver, layoutSaver, type SaveState } from './layout-saver.ts';

/** How many changes can be undone. */
const PAST_MAX = 50;

/** The operator's layout, saved after every change. */
export function useLayout(offered: readonly GridWidget[], standard: readonly WidgetPlacement[]) {
  const queryClient = useQueryClient();
  const { data, error, isFetching, refetch } = useQuery(layoutQuery);
  const [unsaved, setUnsaved] = useState<{ layout: StoredLayout }>();
  const [past, setPast] = useState<readonly StoredLayout[]>([]);
  const [saving, setSaving] = useState<SaveState>({ kind: 'saved' });
  const saver = useRef<LayoutSaver>(undefined);

  useEffect(() => {
    if (data === undefined) return;
    if (saver.current !== undefined) return saver.current.adopt(data);
    saver.current = layoutSaver(data, {
      put: saveLayout,
      find: findLayout,
      onState: setSaving,
      onStored(stored, more) {
        queryClient.setQueryData(layoutQuery.queryKey, stored);
        if (!more) setUnsaved(undefined);
      },
    });
  }, [data, queryClient]);

  const current = unsaved === undefined ? data?.layout : unsaved.layout;
  const arrangement = useMemo(
    () => (current === undefined ? undefined : arrangementOf(current, offered, standard)),
    [current, offered, standard],
  );

  const store = (layout: StoredLayout): void => {
    setUnsaved({ layout });
    saver.current?.save(layout);
  };
  const change = (layout: StoredLayout): void => {
    if (current === undefined) return;
    setPast([...past, current].slice(-PAST_MAX));
    store(layout);
  };
  return {
    arrangement,
    question: { data: arrangement, error, isFetching, refetch },
    saving,
    /** False before the layout has been read, and while a conflict is unresolved. */
    open: arrangement !== undefined && saving.kind !== 'conflict',
    change: (next: Arrangement): void => change(storedLayout(next)),
    reset: (): void => change(null),
    /** Reverts the last change; undefined when there is none. */
    undo:
      past.length === 0
        ? undefined
        : (): void => {
            setPast(past.slice(0, -1));
            store(past.at(-1) ?? null);
          },
    retry: (): void => saver.current?.retry(),
    keepMine: (): void => saver.current?.keepMine(),
    takeTheirs(): void {
      setPast([]);
      setUnsaved(undefined);
      saver.current?.takeTheirs();
    },
  };
}

export type Layout = ReturnType<typeof useLayout>;
