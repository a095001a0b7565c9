import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { WidgetPlacement } from '../../../shared/dashboard.ts';
import { findLayout, layoutQuery, saveLayout, type TaggedLayout } from '../../api/overview.ts';
import { RequestError } from '../../api/request.ts';
import { type Arrangement, arrangementOf, type GridWidget, type StoredLayout, storedLayout } from './arrangement.ts';
import type { WidgetId } from './widget-catalogue.ts';

export type SaveState =
  | { kind: 'saved' }
  | { kind: 'saving' }
  | { kind: 'failed'; error: Error }
  /** Saved elsewhere since this page read it: nothing is overwritten until the operator has chosen. */
  | { kind: 'conflict'; theirs: TaggedLayout };

export interface LayoutSaver {
  /** The latest layout wins; earlier ones that are not being sent yet are dropped. */
  save(layout: StoredLayout): void;
  retry(): void;
  keepMine(): void;
  takeTheirs(): void;
  /** Takes over what the server returned to another read; ignored while a save is pending. */
  adopt(stored: TaggedLayout): void;
}

export interface LayoutSaverParts {
  /** Resolves with the new tag; rejects with a 412 when the stored layout no longer matches `tag`, if there is one. */
  put: (layout: StoredLayout, tag: TaggedLayout['tag']) => Promise<TaggedLayout['tag']>;
  find: () => Promise<TaggedLayout>;
  onState: (state: SaveState) => void;
  /** The stored layout after a save here or elsewhere; `unsaved` if a newer change is still to be sent. */
  onStored: (stored: TaggedLayout, unsaved: boolean) => void;
}

/** Saves layouts one at a time, each only if nobody else has saved in between. */
export function layoutSaver(stored: TaggedLayout, { put, find, onState, onStored }: LayoutSaverParts): LayoutSaver {
  /** As it was read or saved last. */
  let known = stored;
  let wanted: { layout: StoredLayout } | undefined;
  let theirs: TaggedLayout | undefined;
  let running = false;

  async function run(): Promise<void> {
    if (running || theirs !== undefined) return;
    running = true;
    onState({ kind: 'saving' });
    try {
      while (wanted !== undefined && theirs === undefined) await saveOnce(wanted);
      if (theirs === undefined) onState({ kind: 'saved' });
    } catch (error) {
      onState({ kind: 'failed', error: error as Error });
    } finally {
      running = false;
    }
  }

  async function saveOnce(sent: { layout: StoredLayout }): Promise<void> {
    const other = await putUnlessOther(sent);
    // After a lost response, our own save looks like somebody else's.
    if (other !== undefined && !isSame(other, sent)) {
      theirs = other;
      onState({ kind: 'conflict', theirs });
      return;
    }
    if (other !== undefined) known = other;
    if (wanted === sent) wanted = undefined;
    onStored(known, wanted !== undefined);
  }

  /** @returns what is stored instead, in which case nothing was saved */
  async function putUnlessOther({ layout }: { layout: StoredLayout }): Promise<TaggedLayout | undefined> {
    if (known.tag === undefined) {
      // The service cannot compare then.
      const found = await find();
      if (!isSame(found, known)) return found;
      known = found;
    }
    try {
      known = { layout, tag: await put(layout, known.tag) };
      return undefined;
    } catch (error) {
      if (!(error instanceof RequestError && error.status === 412)) throw error;
      return find();
    }
  }

  return {
    save(layout) {
      wanted = { layout };
      void run();
    },
    retry: () => void run(),
    keepMine() {
      if (theirs === undefined) return;
      known = theirs;
      theirs = undefined;
      void run();
    },
    takeTheirs() {
      if (theirs === undefined) return;
      known = theirs;
      wanted = undefined;
      onStored(theirs, false);
      theirs = undefined;
      onState({ kind: 'saved' });
    },
    adopt(found) {
      if (wanted === undefined && theirs === undefined && !running) known = found;
    },
  };
}

const isSame = (a: { layout: StoredLayout }, b: { layout: StoredLayout }): boolean => textOf(a) === textOf(b);

/** The names give the order in which they are written. */
const textOf = ({ layout }: { layout: StoredLayout }): string =>
  JSON.stringify(layout, ['widgets', 'hidden', 'id', 'x', 'y', 'w', 'h']);

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

const at = (id: WidgetId, x: number, y: number, w: number, h: number): WidgetPlacement => ({ id, x, y, w, h });

/** The default placements. */
export const STANDARD_LAYOUT: readonly WidgetPlacement[] = [
  at('identities-total', 0, 0, 3, 2),
  at('active-sessions', 3, 0, 3, 2),
  at('verification-rate', 6, 0, 3, 2),
  at('locked-accounts', 9, 0, 3, 2),
  at('sign-ins', 0, 2, 8, 4),
  at('services', 8, 2, 4, 4),
  at('session-map', 0, 6, 8, 6),
  at('recent-audit', 8, 6, 4, 4),
  at('posture', 8, 10, 4, 2),
  at('new-identities', 0, 12, 6, 4),
  at('peak-hours', 6, 12, 6, 4),
  at('identities-by-schema', 0, 16, 6, 4),
  at('clients-by-grant', 6, 16, 6, 4),
];

/** The same without gaps, for roles that are offered none of the missing widgets. */
export const VIEWER_LAYOUT: readonly WidgetPlacement[] = [
  at('identities-total', 0, 0, 4, 2),
  at('active-sessions', 4, 0, 4, 2),
  at('verification-rate', 8, 0, 4, 2),
  at('sign-ins', 0, 2, 8, 4),
  at('services', 8, 2, 4, 4),
  at('session-map', 0, 6, 8, 6),
  at('identities-by-schema', 8, 6, 4, 3),
  at('clients-by-grant', 8, 9, 4, 3),
  at('new-identities', 0, 12, 6, 4),
  at('peak-hours', 6, 12, 6, 4),
];

/** Default placements of the widgets that a role may see. */
export const standardFor = (offered: readonly { id: string }[]): readonly WidgetPlacement[] =>
  offered.every(({ id }) => VIEWER_LAYOUT.some((placement) => placement.id === id)) ? VIEWER_LAYOUT : STANDARD_LAYOUT;
