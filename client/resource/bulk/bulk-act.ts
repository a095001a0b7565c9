import type { QueryClient } from '@tanstack/react-query';
import type { SessionInformation } from '../../../shared/session.ts';
import type { ResourceName } from '../define-resource.ts';

/** Something that can be done to many rows at once. */
export interface BulkAct<T> {
  /** On the button: “Delete”. */
  label: string;
  /** Before their number: “Delete 3 identities”. */
  title: string;
  /** While it runs: “Deleting”. */
  running: string;
  /** Of one that it was done to: “deleted”. */
  done: string;
  consequences: readonly string[];
  /** Cannot be taken back: the count has to be typed. */
  final: boolean;
  /** Somebody loses something by it: its button is red. */
  grave: boolean;
  /** What this operator has to know about these very rows, before the consequences. */
  warning?: (items: readonly T[], operator: SessionInformation['user']) => string | undefined;
  /** @returns why there was nothing to do, else nothing */
  act: (item: T) => Promise<string | undefined>;
}

/** To what it is done. */
export interface BulkSubject<T> {
  name: ResourceName;
  /** What an item is called in the dialog and in the report's column of this heading. */
  nameOf: (item: T) => string;
  nameColumn: string;
  /** Lets every query know that these items are not what they were. */
  invalidate: (queryClient: QueryClient, items: readonly T[]) => void;
}
