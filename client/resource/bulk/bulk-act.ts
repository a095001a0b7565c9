import type { QueryClient } from '@tanstack/react-query';
import type { SessionInformation } from '../../../shared/session.ts';
import type { ResourceName } from '../define-resource.ts';

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
  /** @returns the reason if there was nothing to do */
  act: (item: T) => Promise<string | undefined>;
}

/** The resource that it acts on. */
export interface BulkSubject<T> {
  name: ResourceName;
  /** Name of an item, in the dialog and in the report's column `nameColumn`. */
  nameOf: (item: T) => string;
  nameColumn: string;
  /** Invalidates every query that contains these items. */
  invalidate: (queryClient: QueryClient, items: readonly T[]) => void;
}
