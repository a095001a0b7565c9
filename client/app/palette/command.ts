import type { ReactNode } from 'react';
import type { Fit } from './best-first.ts';

/** A line of the palette. */
export interface Command {
  id: string;
  label: string;
  about: string | undefined;
  icon: ReactNode;
  /** If it returns a promise, the palette closes once it resolves. */
  run: () => void | Promise<void>;
}

export interface Group {
  /** Absent for commands that need no heading. */
  name?: string;
  commands: readonly Command[];
  /** How well its first command fits the typed text. */
  fit: Fit;
  /** What the commands are: things that were found for the text, or other ways to search for it. */
  kind?: 'found' | 'searches';
}
