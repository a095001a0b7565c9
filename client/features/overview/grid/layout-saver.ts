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
