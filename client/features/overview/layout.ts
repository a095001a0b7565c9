import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { findLayout, layoutQuery, saveLayout, type TaggedLayout } from '../../api/overview.ts';
import { RequestError } from '../../api/request.ts';
import { toast } from '../../ui/toasts.tsx';
import { type Arrangement, arrangementOf, type GridWidget, type StoredLayout, storedLayout } from './arrangement.ts';

const NOT_LOADED: TaggedLayout = { layout: null, tag: undefined };

/** Saves the operator's layout after every change. */
export function useLayout(offered: readonly GridWidget[]) {
  const queryClient = useQueryClient();
  const { data, error, refetch } = useQuery(layoutQuery);
  const [unsaved, setUnsaved] = useState<{ layout: StoredLayout }>();
  const [past, setPast] = useState<readonly StoredLayout[]>([]);
  const [saving, setSaving] = useState<SaveState>({ kind: 'saved' });
  const [saver] = useState(() =>
    layoutSaver(NOT_LOADED, {
      put: saveLayout,
      find: findLayout,
      onState: setSaving,
      onStored(stored, more) {
        queryClient.setQueryData(layoutQuery.queryKey, stored);
        if (!more) setUnsaved(undefined);
      },
      onReplaced() {
        setPast([]);
        toast('Your last change was not saved: the overview was changed in another tab or browser');
      },
    }),
  );
  useEffect(() => {
    if (data !== undefined) saver.adopt(data);
  }, [data, saver]);

  const current = unsaved === undefined ? data?.layout : unsaved.layout;
  const arrangement = current === undefined ? undefined : arrangementOf(current, offered);
  const save = (layout: StoredLayout): void => {
    setUnsaved({ layout });
    saver.save(layout);
  };
  const change = (layout: StoredLayout): void => {
    if (current === undefined) return;
    setPast([...past, current]);
    save(layout);
  };
  return {
    /** Undefined before the layout has loaded. */
    arrangement,
    error,
    refetch,
    saving,
    change: (next: Arrangement): void => change(storedLayout(next)),
    reset: (): void => change(null),
    /** Reverts the last change; undefined if there is none. */
    undo:
      past.length === 0
        ? undefined
        : (): void => {
            setPast(past.slice(0, -1));
            save(past.at(-1) ?? null);
          },
    retry: saver.retry,
  };
}

export type Layout = ReturnType<typeof useLayout>;

export type SaveState = { kind: 'saved' } | { kind: 'saving' } | { kind: 'failed'; error: Error };

interface LayoutSaverParts {
  /** Resolves with the new tag. Rejects with a 412 if there is a `tag` and the stored layout no longer matches it. */
  put: (layout: StoredLayout, tag: TaggedLayout['tag']) => Promise<TaggedLayout['tag']>;
  find: () => Promise<TaggedLayout>;
  onState: (state: SaveState) => void;
  /** Receives the stored layout after a save here or elsewhere; `more` if a newer change has not been sent yet. */
  onStored: (stored: TaggedLayout, more: boolean) => void;
  /** The layout has changed elsewhere, and replaces the change that was made here. */
  onReplaced: () => void;
}

/**
 * Saves layouts one at a time, and only if the stored one has not changed elsewhere. Of unsent layouts, saves the last.
 */
export function layoutSaver(initial: TaggedLayout, parts: LayoutSaverParts) {
  const { put, find, onState, onStored, onReplaced } = parts;
  let stored = initial;
  let unsaved: { layout: StoredLayout } | undefined;
  let running = false;

  async function run(): Promise<void> {
    if (running) return;
    running = true;
    onState({ kind: 'saving' });
    try {
      while (unsaved !== undefined) await saveOnce(unsaved);
      onState({ kind: 'saved' });
    } catch (error) {
      onState({ kind: 'failed', error: error as Error });
    } finally {
      running = false;
    }
  }

  async function saveOnce(sent: { layout: StoredLayout }): Promise<void> {
    try {
      stored = { layout: sent.layout, tag: await put(sent.layout, stored.tag) };
    } catch (error) {
      if (!(error instanceof RequestError && error.status === 412)) throw error;
      stored = await find();
      // If the response to this page's own save was lost, that save looks like one of another tab.
      if (!isSame(stored, sent)) {
        unsaved = undefined;
        onReplaced();
      }
    }
    if (unsaved === sent) unsaved = undefined;
    onStored(stored, unsaved !== undefined);
  }

  return {
    /** Replaces earlier layouts that have not been sent yet. */
    save(layout: StoredLayout): void {
      unsaved = { layout };
      void run();
    },
    retry: (): void => void run(),
    /** Adopts a layout that was read in another way. Ignored during a save. */
    adopt(found: TaggedLayout): void {
      if (unsaved === undefined && !running) stored = found;
    },
  };
}

const isSame = (a: { layout: StoredLayout }, b: { layout: StoredLayout }): boolean => textOf(a) === textOf(b);

/** Lists the names to fix the order of properties, so that equal layouts produce equal text. */
const textOf = ({ layout }: { layout: StoredLayout }): string =>
  JSON.stringify(layout, ['widgets', 'hidden', 'id', 'x', 'y', 'w', 'h']);
