import type { QueryClient } from '@tanstack/react-query';
import type { SessionInformation } from '../../../shared/session.ts';
import type { ResourceName } from '../define-resource.ts';
import type { SaveFirst } from '../save-first/save-first.ts';

/** An action on many rows at once. */
export interface BulkAct<T> {
  /** The button: “Delete”. */
  label: string;
  /** Title without the count: “Delete”, for “Delete 3 identities?”. */
  title: string;
  /** While it runs: “Deleting”. */
  running: string;
  /** Outcome of an item: “deleted”. */
  done: string;
  consequences: readonly string[];
  /** Cannot be undone: the count must be typed to confirm. */
  final: boolean;
  /** Somebody loses something: the button is red. */
  grave: boolean;
  /** A warning about these rows in particular, shown above the consequences. */
  warning?: (items: readonly T[], operator: SessionInformation['user']) => string | undefined;
  /** Rows that it leaves alone, and the sentence that says so. */
  spares?: { holds: (item: T, operator: SessionInformation['user']) => boolean; words: string };
  /** Rows on which there is nothing to do, as they are right before the act; what they are called: “already inactive”. */
  already?: { holds: (item: T) => boolean; words: string };
  /** It deletes them, and offers to save them before. */
  saveFirst?: SaveFirst;
  /** @returns the reason if there was nothing to do */
  act: (item: T) => Promise<string | undefined>;
}

/** A row as it is at the moment. */
export interface Checked<T> {
  item: T;
  /** Why it is not acted on. */
  leftOut?: string;
  /** There is nothing to do. */
  already?: boolean;
}

export interface BulkFound<T> {
  /** The first few as they are, of all others the id alone. */
  items: readonly T[];
  /** A warning: who may be missing among them. */
  missing?: string | undefined;
}

/** All that match what a list asks, as of the moment when the dialog opens. */
export interface BulkMatching<T> {
  /** The filters: “inactive, created in the last 7 days”; “everything” without any. */
  words: string;
  /** A consequence: what is checked before each act. */
  promise: string;
  /** Chosen rows are checked, too: what the list shows of them is no proof. */
  checksChosen: boolean;
  find: (signal: AbortSignal) => Promise<BulkFound<T>>;
  /** Reads one again before its act. */
  check: (item: T) => Promise<Checked<T>>;
}

/** The resource that it acts on. @typeParam Search what its list asks, if acts may take all that match */
export interface BulkSubject<T, Search = never> {
  name: ResourceName;
  /** Name of an item, in the dialog and in the report's column `nameColumn`. */
  nameOf: (item: T) => string;
  nameColumn: string;
  /** Reads one again, for acts with `already`. */
  read?: (item: T) => Promise<T>;
  /** Called once for each dialog, when it opens. */
  matching?: (search: Search) => BulkMatching<T>;
  /** Invalidates every query that contains these items. */
  invalidate: (queryClient: QueryClient, items: readonly T[]) => void;
}
