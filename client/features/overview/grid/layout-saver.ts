import type { TaggedLayout } from '../../../api/dashboard-layout.ts';
import { RequestError } from '../../../api/request-error.ts';
import type { StoredLayout } from './arrangement.ts';

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
  /** Resolves with the new tag; rejects with a 412 when the stored layout no longer matches `tag`. */
  put: (layout: StoredLayout, tag: string) => Promise<string>;
  find: () => Promise<TaggedLayout>;
  onState: (state: SaveState) => void;
  /** The stored layout after a save here or elsewhere; `unsaved` if a newer change is still to be sent. */
  onStored: (stored: TaggedLayout, unsaved: boolean) => void;
}

/** Saves layouts one at a time, each only if nobody else has saved in between. */
export function layoutSaver(stored: TaggedLayout, { put, find, onState, onStored }: LayoutSaverParts): LayoutSaver {
  let { tag } = stored;
  let wanted: { layout: StoredLayout } | undefined;
  let theirs: TaggedLayout | undefined;
  let running = false;

  function store(layout: StoredLayout, newTag: string, sent: typeof wanted): void {
    tag = newTag;
    if (wanted === sent) wanted = undefined;
    onStored({ layout, tag }, wanted !== undefined);
  }

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
    try {
      store(sent.layout, await put(sent.layout, tag), sent);
    } catch (error) {
      if (!(error instanceof RequestError && error.status === 412)) throw error;
      const found = await find();
      // After a lost response, our own save looks like somebody else's.
      if (JSON.stringify(found.layout) === JSON.stringify(sent.layout)) return store(sent.layout, found.tag, sent);
      theirs = found;
      onState({ kind: 'conflict', theirs });
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
      ({ tag } = theirs);
      theirs = undefined;
      void run();
    },
    takeTheirs() {
      if (theirs === undefined) return;
      ({ tag } = theirs);
      wanted = undefined;
      onStored(theirs, false);
      theirs = undefined;
      onState({ kind: 'saved' });
    },
    adopt(found) {
      if (wanted === undefined && theirs === undefined && !running) ({ tag } = found);
    },
  };
}
